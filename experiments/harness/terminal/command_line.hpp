// The parts that the command lines of our programs share.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

// Used instead of CLI::Range, which accepts NaN and says that 2.5 is outside of the range from 1 to 100000.
CLI::Validator whole(std::int64_t least, std::int64_t most);
CLI::Validator seconds(double least, double most);

std::string as_typed(int argc, char** argv);

CLI::Option* add_threads(CLI::App&, int& threads, std::string_view about);
void add_brick(CLI::App&, std::string& isa, std::string& tuning);  // --isa and --tuning

// False if the command line asked for --help or --version, which is then printed. Throws UsageError.
bool parse_command_line(CLI::App&, int argc, char** argv);

}  // namespace brickwork
