// A program for a Companion to drive. Its contenders behave or misbehave as their names say.
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "experiments/harness/run/runner.hpp"
#include "experiments/harness/terminal/options.hpp"
#include "experiments/harness/terminal/screen.hpp"
#include "experiments/harness/testing/fake_experiment.hpp"
#include "primitives/op/kokkos_scope.hpp"

using namespace brickwork;

namespace {

// "dies" and "garbles" misbehave only on the problem of two rows of 64 values.
bool on_two(std::span<const float> right) { return right.size() == 128; }

std::unique_ptr<Experiment> make_fake(const Request& request) {
  const std::string out = request.options.out;
  const auto unless_on_two = [](auto mishap) {
    return [=](std::span<const float> right, std::span<float> output) {
      if (on_two(right)) mishap();
      right_answer(right, output);
    };
  };
  std::vector<Contender<FakeOp>> contenders;
  for (const FakeContender& fake :
       std::initializer_list<FakeContender>{{"exact", right_answer},
                                            {"wrong", [](auto, auto output) { std::ranges::fill(output, 0.0F); }},
                                            {"dies", unless_on_two([] {
                                               std::fputs("the library gave up\n", stderr);
                                               std::_Exit(3);
                                             })},
                                            {"garbles", unless_on_two([=] {
                                               std::ofstream csv(out + "/samples.csv", std::ios::app);
                                               for (int line = 0; line < 10000; ++line)
                                                 csv << "garbage\n";  // longer than the rows written over it
                                             })}}) {
    contenders.push_back(contender(fake));
  }
  return fake_experiment_of(request, std::move(contenders));
}

int run(int argc, char** argv) {
  const ExperimentEntry table[] = {{.name = "fake",
                                    .about = "",
                                    .figure = "layers",
                                    .shapes = "",
                                    .sample = "",
                                    .takes_threads = true,
                                    .kind = shape_kind<FakeProblem>,
                                    .make = make_fake}};
  const auto options = parse_options(argc, argv, table);
  const KokkosScope kokkos(1);
  return run_experiment(*make_fake({table[0], table, *options}), "layers", *options);
}

}  // namespace

int main(int argc, char** argv) {
  open_screen();
  try {
    return run(argc, argv);
  } catch (const UsageError& e) {
    complain(e.message);
  } catch (const std::exception& e) {
    complain(e.what());
  }
  return exit_failed;
}
