# The tests: their libraries, their options and the functions that add them.
if(NOT BRICKWORK_TESTS)
  return()
endif()
enable_testing()
include(GoogleTest)
find_package(GTest REQUIRED)
find_path(RAPIDCHECK_INCLUDE_DIR rapidcheck.h REQUIRED)
find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
add_library(brickwork_rapidcheck INTERFACE)
target_include_directories(brickwork_rapidcheck SYSTEM INTERFACE ${RAPIDCHECK_INCLUDE_DIR})
target_link_libraries(brickwork_rapidcheck INTERFACE ${RAPIDCHECK_LIBRARY})

# Code that must be fast is in the libraries. Tests are not optimised: that saves a quarter of their time to compile and
# adds 2 s to their time to run.
set(brickwork_test_options $<$<COMPILE_LANGUAGE:CXX>:-O0>)
if(BRICKWORK_SANITIZE)
  # UndefinedBehaviorSanitizer's checks of the test itself, and the end of scope of each temporary in each expectation,
  # would be two thirds of a test's time to compile. The tested libraries keep both checks.
  list(APPEND brickwork_test_options
       $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-address-use-after-scope;-fno-sanitize=undefined>)
endif()

# Headers of test libraries are half of a test's compile time, and Kokkos' headers half of the rest: they are compiled
# once, here, for all tests. That needs the same options for all tests: POSITION_INDEPENDENT_CODE, which differs between
# programs and libraries, is off for all. The object is main() of the tests that use Kokkos.
set(brickwork_test_libraries brickwork_options brickwork_rapidcheck fmt::fmt Kokkos::kokkoscore OpenMP::OpenMP_CXX
                             GTest::gmock)
add_library(brickwork_kokkos_test_main OBJECT ${PROJECT_SOURCE_DIR}/primitives/testing/kokkos_test_main.cpp)
target_link_libraries(brickwork_kokkos_test_main PUBLIC ${brickwork_test_libraries} PRIVATE brickwork_ops)
target_compile_options(brickwork_kokkos_test_main PRIVATE ${brickwork_test_options})
set_target_properties(brickwork_kokkos_test_main PROPERTIES POSITION_INDEPENDENT_CODE OFF)
foreach(header gmock/gmock.h rapidcheck.h fmt/format.h Kokkos_Core.hpp)
  target_precompile_headers(brickwork_kokkos_test_main PRIVATE $<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>)
endforeach()

# brickwork_test_sources(target): compiles the target like a test.
function(brickwork_test_sources target)
  target_link_libraries(${target} PRIVATE ${brickwork_test_libraries})
  target_compile_options(${target} PRIVATE ${brickwork_test_options})
  target_precompile_headers(${target} REUSE_FROM brickwork_kokkos_test_main)
  # Compiles several files at a time in every preset, so that the same templates of GoogleTest and RapidCheck are
  # instantiated once: half the time with five files, a third with twenty.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON POSITION_INDEPENDENT_CODE OFF)
endfunction()

# brickwork_test(name [KOKKOS] SOURCES ... LIBS ...): one GoogleTest program; each case is a ctest entry.
function(brickwork_test name)
  cmake_parse_arguments(ARG "KOKKOS" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set(main $<IF:$<BOOL:${ARG_KOKKOS}>,brickwork_kokkos_test_main,GTest::gtest_main>)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} ${main})
  brickwork_test_sources(${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 900)
endfunction()

# brickwork_device_code(target [HOPPER]): the compiler keeps the PTX of this target's device code. HOPPER: the code uses
# instructions that only Hopper has. brickwork_check_device_code() assembles all PTX for every architecture and checks
# it against a table of limits; Hopper's code has a table of its own. That needs no GPU.
function(brickwork_device_code target)
  cmake_parse_arguments(ARG "HOPPER" "" "" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${target}_ptx)
  file(MAKE_DIRECTORY ${folder})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--keep;--keep-dir=${folder}>)
  if(ARG_HOPPER)
    set_property(GLOBAL APPEND PROPERTY BRICKWORK_HOPPER_CODE ${folder})
  else()
    set_property(GLOBAL APPEND PROPERTY BRICKWORK_DEVICE_CODE ${folder})
  endif()
endfunction()

# brickwork_check_ptx(test FOLDERS ... LIMITS table ARCH ... [SOME]): one test of all PTX in the folders. With SOME,
# kernels of the table may be missing.
function(brickwork_check_ptx test)
  cmake_parse_arguments(ARG "SOME" "LIMITS" "FOLDERS;ARCH" ${ARGN})
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME ${test}
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/ptxas_limits.py --ptx ${ARG_FOLDERS}
                   --arch ${ARG_ARCH} --limits ${PROJECT_SOURCE_DIR}/kernels/gpu/cuda/${ARG_LIMITS}
                   --ptxas ${CUDAToolkit_BIN_DIR}/ptxas $<$<BOOL:${ARG_SOME}>:--some>
           COMMAND_EXPAND_LISTS)
  set_tests_properties(${test} PROPERTIES COST 100)  # starts early, as it takes long
endfunction()

# Tests the kernels of bricks on Hopper. Tests of all kernels on every architecture take minutes and have the label
# long.
function(brickwork_check_device_code)
  get_property(folders GLOBAL PROPERTY BRICKWORK_DEVICE_CODE)
  get_property(hopper_folders GLOBAL PROPERTY BRICKWORK_HOPPER_CODE)
  if(NOT folders)
    add_test(NAME DeviceCode COMMAND ${CMAKE_COMMAND} -E echo "skipped: no device code was compiled, as there is no nvcc")
    set_tests_properties(DeviceCode PROPERTIES SKIP_REGULAR_EXPRESSION skipped)
    return()
  endif()
  set(bricks ${folders})
  list(FILTER bricks INCLUDE REGEX "/kernels/")
  brickwork_check_ptx(DeviceCode.Bricks FOLDERS ${bricks} LIMITS ptxas_limits.csv ARCH sm_90 SOME)
  set(hopper_bricks ${hopper_folders})
  list(FILTER hopper_bricks INCLUDE REGEX "/kernels/")
  brickwork_check_ptx(DeviceCode.HopperBricks FOLDERS ${hopper_bricks} LIMITS ptxas_limits_hopper.csv ARCH sm_90a SOME)
  # PTX of a later architecture cannot be assembled for an earlier one.
  set(architectures sm_90)
  if(CMAKE_CUDA_ARCHITECTURES MATCHES "(^|;)80(-virtual)?(;|$)")
    list(PREPEND architectures sm_80)
  endif()
  brickwork_check_ptx(DeviceCode.OfEveryArchitecture FOLDERS ${folders} LIMITS ptxas_limits.csv ARCH ${architectures})
  brickwork_check_ptx(DeviceCode.OfHopper FOLDERS ${hopper_folders} LIMITS ptxas_limits_hopper.csv ARCH sm_90a)
  set_tests_properties(DeviceCode.OfEveryArchitecture DeviceCode.OfHopper PROPERTIES LABELS long)
endfunction()
