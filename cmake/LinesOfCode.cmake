# Writes how many lines of code the primitives have to OUTPUT, folder by folder: without blank lines and comments, tests,
# benchmarks, the descriptions with their references (op/), and what knows the machine instead of a primitive. Run at
# every build; the file is touched only where it changes.
file(GLOB folders RELATIVE "${SOURCE}" "${SOURCE}/*")
set(entries)
foreach(folder IN LISTS folders ITEMS shared)
  if(folder STREQUAL shared)
    file(GLOB files "${SOURCE}/*.cpp" "${SOURCE}/*.hpp" "${SOURCE}/*.h" "${SOURCE}/*.cuh")
  elseif(IS_DIRECTORY "${SOURCE}/${folder}" AND NOT folder MATCHES "^(op|testing|machine|tuning)$")
    file(GLOB_RECURSE files "${SOURCE}/${folder}/*.cpp" "${SOURCE}/${folder}/*.hpp" "${SOURCE}/${folder}/*.h")
    list(FILTER files EXCLUDE REGEX "/(op|testing)/")
  else()
    continue()
  endif()
  list(FILTER files EXCLUDE REGEX "_(test|benchmark)[.]cpp$")
  if(NOT files)
    continue()
  endif()
  execute_process(COMMAND grep -hvcE "^[[:space:]]*(//.*)?$" ${files} OUTPUT_VARIABLE counts)
  string(REGEX REPLACE "[^0-9]+" "+" sum "${counts}0")
  math(EXPR sum "${sum}")
  string(APPEND entries "    {\"${folder}\", ${sum}},\n")
endforeach()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[
// Lines of code of the primitives, by folder.
#pragma once
#include <string_view>
#include <utility>

namespace brickwork::lines_of_code {

inline constexpr std::pair<std::string_view, int> primitives[] = {
@entries@};

}  // namespace brickwork::lines_of_code
]])
