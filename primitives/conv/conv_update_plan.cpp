#include "conv/conv_update_plan.hpp"

#include "plan_text.hpp"

namespace brickwork {

const SizeTable<ConvUpdatePlan>& ConvUpdatePlan::table() {
  using P = ConvUpdatePlan;
  static const SizeTable<ConvUpdatePlan> table{
      .kind = "conv update plan",
      .sizes = {{.key = "bc=", .column = "bc", .member = &P::bc},
                {.key = "bk=", .column = "bk", .member = &P::bk},
                {.key = "bq=", .column = "bq", .member = &P::bq, .least = 0}},
      .words = {choice("rows, flat or joined", {"rows", "flat", "joined"}, &P::pixels),
                choice("taps=loop or taps=m", {"taps=loop", "taps=m"}, &P::taps_in_m),
                choice("src=cached or src=gathered", {"src=cached", "src=gathered"}, &P::gathers)},
      .separator = ' ',
      .default_words = true};
  return table;
}

std::string to_string(const ConvUpdatePlan& plan) { return plan_text(plan); }

ConvUpdatePlan parse_conv_update_plan(std::string_view text) { return parse_plan<ConvUpdatePlan>(text); }

}  // namespace brickwork
