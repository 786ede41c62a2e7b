// What the command lines of our programs have in common.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "experiments/harness/terminal/options.hpp"

namespace brickwork {

// In place of CLI::Range, which lets NaN pass and finds 2.5 outside of the range from 1 to 100000.
CLI::Validator whole(std::int64_t least, std::int64_t most);
CLI::Validator seconds(double least, double most);

std::string as_typed(int argc, char** argv);

CLI::Option* add_threads(CLI::App&, int& threads, std::string_view about);
void add_brick(CLI::App&, std::string& isa, std::string& tuning);  // --isa and --tuning

// False where --help or --version was all that was asked for, and is printed. Throws UsageError.
bool parse_command_line(CLI::App&, int argc, char** argv);

}  // namespace brickwork
