#include "experiments/harness/terminal/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <omp.h>

#include <charconv>
#include <span>
#include <stdexcept>
#include <vector>

#include "build_info.hpp"
#include "experiments/harness/terminal/names.hpp"
#include "experiments/harness/terminal/utf8.hpp"

namespace brickwork {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) names.push_back("--" + option->get_lnames().front());
  return names;
}

template <class Number>
CLI::Validator number(std::string_view kind, Number least, Number most) {
  const auto check = [=](const std::string& text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool all_read = error == std::errc() && end == text.data() + text.size();
    return all_read && value >= least && value <= most
               ? std::string()
               : fmt::format("{} is no {} from {} to {}", text, kind, least, most);
  };
  return {check, fmt::format("{} to {}", least, most)};
}

void check_encoding(std::span<char*> arguments) {
  for (const char* argument : arguments) {
    if (is_utf8(argument)) continue;
    throw UsageError{fmt::format("{} is not UTF-8, the encoding of the run's record", in_quotes(argument))};
  }
}

}  // namespace

CLI::Validator whole(std::int64_t least, std::int64_t most) { return number("whole number", least, most); }
CLI::Validator seconds(double least, double most) { return number("time in seconds", least, most); }

std::string as_typed(int argc, char** argv) {
  return fmt::format("{}", fmt::join(std::span(argv, static_cast<std::size_t>(argc)), " "));
}

CLI::Option* add_threads(CLI::App& app, int& threads, std::string_view about) {
  return app.add_option("--threads", threads, std::string(about))
      ->type_name("COUNT")
      ->check(whole(1, omp_get_num_procs()));
}

void add_brick(CLI::App& app, std::string& isa, std::string& tuning) {
  app.add_option("--isa", isa, "Instruction set of our simd kernel: best, avx2, avx512, neon (default: best)")
      ->type_name("NAME");
  app.add_option("--tuning", tuning,
                 "Tuning of our simd kernel: a text as in the rows, default, or calibrate (default: the one that the "
                 "first run on this CPU found and kept)")
      ->type_name("TEXT");
}

bool parse_command_line(CLI::App& app, int argc, char** argv) {
  app.allow_extras();  // so that the message below can name the closest option
  app.get_formatter()->column_width(34);
  app.set_version_flag("--version", std::string(build_info::version));
  try {
    check_encoding({argv, static_cast<std::size_t>(argc)});
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    app.exit(help_or_version);
    return false;
  } catch (const CLI::ParseError& e) {
    throw UsageError{e.what()};
  }
  if (app.remaining().empty()) return true;
  const std::string word = app.remaining().front();
  if (!word.starts_with('-')) {
    throw UsageError{fmt::format("unexpected argument '{}': every setting has a named option, see --help", word)};
  }
  const std::string closest = closest_name(word, option_names(app));
  throw UsageError{fmt::format("unknown option '{}'{}; --help shows all of them", word,
                               closest.empty() ? "" : fmt::format("; the closest is '{}'", closest))};
}

}  // namespace brickwork
