# Writes to OUTPUT the commit that is built, whether the tree differs from it, and the number of lines of code in
# primitives/. Runs at every build, so that a program records the sources that it was built from. The file is written
# only if its content changes.
execute_process(COMMAND git -C "${SOURCE}" rev-parse HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET RESULT_VARIABLE failed)
set(dirty false)
if(failed)
  set(commit unknown)
else()
  execute_process(COMMAND git -C "${SOURCE}" status --porcelain OUTPUT_VARIABLE changes ERROR_QUIET)
  if(changes)
    set(dirty true)
  endif()
endif()

# Counts without tests. 0 if cloc is not installed.
execute_process(COMMAND cloc --quiet --json "--include-lang=C++,C/C++ Header,CUDA" --exclude-dir=testing
                        "--not-match-f=_test[.]" "${SOURCE}/primitives"
                OUTPUT_VARIABLE counted ERROR_QUIET)
string(JSON lines ERROR_VARIABLE absent GET "${counted}" SUM code)
if(absent)
  set(lines 0)
endif()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// What this build was made from.
#pragma once
#include <string_view>

namespace brickwork::source_info {

inline constexpr std::string_view commit = "@commit@";
inline constexpr bool dirty = @dirty@;
inline constexpr int lines_of_primitives = @lines@;

}  // namespace brickwork::source_info
]])
