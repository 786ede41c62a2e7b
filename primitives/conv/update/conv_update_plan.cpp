#include "primitives/conv/update/conv_update_plan.hpp"

#include "primitives/planning/plan_text.hpp"

namespace brickwork {

const SizeTable<ConvUpdatePlan>& ConvUpdatePlan::table() {
  using P = ConvUpdatePlan;
  static const auto table = plan_words<ConvUpdatePlan>(
      "conv update plan", {{"bc=", "bc", &P::bc}, {"bk=", "bk", &P::bk}, {"bq=", "bq", &P::bq, 0}},
      {choice("rows, flat or joined", {"rows", "flat", "joined"}, &P::pixels),
       choice("taps=loop or taps=m", {"taps=loop", "taps=m"}, &P::taps_in_m),
       choice("src=cached or src=gathered", {"src=cached", "src=gathered"}, &P::gathers)});
  return table;
}

std::string to_string(const ConvUpdatePlan& plan) { return plan_text(plan); }

ConvUpdatePlan parse_conv_update_plan(std::string_view text) { return parse_plan<ConvUpdatePlan>(text); }

}  // namespace brickwork
