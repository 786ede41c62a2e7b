# Writes the commit that is being built, and whether the tree differs from it, to OUTPUT: run at every build, so that
# what a program records is what it was built from. The file is touched only where it changes.
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
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// The commit that this build was made from.
#pragma once
#include <string_view>

namespace brickwork::git_info {

inline constexpr std::string_view commit = "@commit@";
inline constexpr bool dirty = @dirty@;

}  // namespace brickwork::git_info
]])
