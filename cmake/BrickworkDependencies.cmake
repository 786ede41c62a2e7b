# Every library the project uses, found once, here. A Kokkos, oneDNN, LIBXSMM or OpenBLAS on CMAKE_PREFIX_PATH (spack,
# a user's own build) wins over what scripts/setup put into .deps. Optional ones leave BRICKWORK_HAS_<NAME> unset, and
# their rows say so.
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(benchmark REQUIRED)
find_package(GTest REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)

find_path(CSV_INCLUDE_DIR csv.h REQUIRED)
find_library(CSV_LIBRARY csv REQUIRED)
add_library(brickwork_csv INTERFACE)
target_include_directories(brickwork_csv SYSTEM INTERFACE ${CSV_INCLUDE_DIR})
target_link_libraries(brickwork_csv INTERFACE ${CSV_LIBRARY})

find_path(RAPIDCHECK_INCLUDE_DIR rapidcheck.h REQUIRED)
find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
add_library(brickwork_rapidcheck INTERFACE)
target_include_directories(brickwork_rapidcheck SYSTEM INTERFACE ${RAPIDCHECK_INCLUDE_DIR})
target_link_libraries(brickwork_rapidcheck INTERFACE ${RAPIDCHECK_LIBRARY})

file(GLOB brickwork_deps LIST_DIRECTORIES true
     ${PROJECT_SOURCE_DIR}/.deps/venv
     ${PROJECT_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/pygenten)
# The component is no part of it: without, a Kokkos with CUDA would have all of our code compiled by its own compiler.
find_package(Kokkos 4.7 CONFIG REQUIRED COMPONENTS separable_compilation
             PATHS ${brickwork_deps} PATH_SUFFIXES lib64/cmake/Kokkos)
message(STATUS "Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) from ${Kokkos_DIR}")

find_package(dnnl 3.2 CONFIG QUIET PATHS ${brickwork_deps})
if(dnnl_FOUND)
  set(BRICKWORK_HAS_ONEDNN ON)
  message(STATUS "oneDNN ${dnnl_VERSION} from ${dnnl_DIR}")
else()
  message(STATUS "oneDNN not found: its rows will be skipped")
endif()

# The newest oneDNN is for a program of its own, and out of find_package's reach, which knows one oneDNN only.
set(BRICKWORK_ONEDNN_LATEST ${PROJECT_SOURCE_DIR}/.deps/onednn-latest CACHE PATH "Where PyPI's onednn is installed")
if(EXISTS ${BRICKWORK_ONEDNN_LATEST}/include/oneapi/dnnl/dnnl.hpp AND NOT BRICKWORK_SANITIZE)
  set(BRICKWORK_HAS_ONEDNN_LATEST ON)
  add_library(brickwork_onednn_latest INTERFACE)
  target_include_directories(brickwork_onednn_latest SYSTEM INTERFACE ${BRICKWORK_ONEDNN_LATEST}/include)
  target_link_libraries(brickwork_onednn_latest INTERFACE -L${BRICKWORK_ONEDNN_LATEST}/lib -ldnnl)
  # The libraries that its SYCL loads are found by the program's path only where that is an RPATH, no RUNPATH. (Hence
  # flags: CMake itself would write a RUNPATH, and warns of the package's own libhwloc, which serves as well.)
  target_link_options(brickwork_onednn_latest INTERFACE LINKER:--disable-new-dtags,-rpath,${BRICKWORK_ONEDNN_LATEST}/lib)
  message(STATUS "newest oneDNN from ${BRICKWORK_ONEDNN_LATEST}")
endif()

# PyTorch is for a program of its own, too, and so is its half for the CPU: its CMake package would ask for all of CUDA.
# What that half is linked to, its RPATH finds beside it.
set(BRICKWORK_PYTORCH ${PROJECT_SOURCE_DIR}/.deps/pytorch CACHE PATH "The folder (site-packages) that holds torch/")
if(EXISTS ${BRICKWORK_PYTORCH}/torch/lib/libtorch_cpu.so AND NOT BRICKWORK_SANITIZE)
  set(BRICKWORK_HAS_PYTORCH ON)
  set(torch ${BRICKWORK_PYTORCH}/torch)
  add_library(brickwork_pytorch INTERFACE)
  target_include_directories(brickwork_pytorch SYSTEM INTERFACE ${torch}/include
                                                                ${torch}/include/torch/csrc/api/include)
  # As flags: CMake warns of the package's own libgomp, which then serves all of the process.
  target_link_libraries(brickwork_pytorch INTERFACE -L${torch}/lib -ltorch_cpu -lc10)
  target_link_options(brickwork_pytorch INTERFACE LINKER:-rpath,${torch}/lib)
  message(STATUS "PyTorch from ${BRICKWORK_PYTORCH}")
endif()

# LIBXSMM 1.17 gives the JIT bricks and the paper authors' own primitives; 2.x dropped the latter.
pkg_check_modules(libxsmm QUIET libxsmm libxsmmext libxsmmnoblas)
if(libxsmm_FOUND AND libxsmm_libxsmm_VERSION VERSION_LESS 2)
  set(BRICKWORK_HAS_LIBXSMM ON)
  add_library(brickwork_libxsmm INTERFACE)
  target_include_directories(brickwork_libxsmm SYSTEM INTERFACE ${libxsmm_INCLUDE_DIRS})
  target_link_directories(brickwork_libxsmm INTERFACE ${libxsmm_LIBRARY_DIRS})
  target_link_libraries(brickwork_libxsmm INTERFACE xsmmext xsmm xsmmnoblas OpenMP::OpenMP_CXX Threads::Threads
                                                    ${CMAKE_DL_LIBS} m)
  message(STATUS "LIBXSMM ${libxsmm_libxsmm_VERSION}")
else()
  message(STATUS "LIBXSMM 1.17 not found: its rows will be skipped")
endif()

# Header-only, and without a CMake package in Debian.
find_path(XBYAK_INCLUDE_DIR xbyak/xbyak.h)
if(XBYAK_INCLUDE_DIR AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(BRICKWORK_HAS_XBYAK ON)
  add_library(brickwork_xbyak INTERFACE)
  target_include_directories(brickwork_xbyak SYSTEM INTERFACE ${XBYAK_INCLUDE_DIR})
  message(STATUS "Xbyak in ${XBYAK_INCLUDE_DIR}")
else()
  message(STATUS "Xbyak not found: the simd brick's tiles will all be compiled")
endif()

# OpenBLAS must be its OpenMP build, so that the process has one thread pool.
pkg_check_modules(openblas QUIET IMPORTED_TARGET openblas)
if(openblas_FOUND)
  set(BRICKWORK_HAS_OPENBLAS ON)
  message(STATUS "OpenBLAS ${openblas_VERSION}")
else()
  message(STATUS "OpenBLAS not found: its rows will be skipped")
endif()

# The sanitizers see the host's code only, and nvcc would take half a minute of their build.
if(NOT BRICKWORK_SANITIZE)
  include(CheckLanguage)
  check_language(CUDA)
endif()
if(CMAKE_CUDA_COMPILER)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    if(Kokkos_ENABLE_CUDA)
      set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})
    elseif(EXISTS /dev/nvidiactl)
      set(CMAKE_CUDA_ARCHITECTURES 90)
    else()
      # Without a GPU nobody runs what ptxas would make of it, which takes as long again; DeviceCode's tests assemble all
      # of the device code anyway, of this PTX, for which the architecture is the earliest. A driver that meets it
      # assembles it when the program starts.
      set(CMAKE_CUDA_ARCHITECTURES 80-virtual)
    endif()
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has it
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(BRICKWORK_HAS_CUDA ON)
  find_package(CUDAToolkit REQUIRED)
endif()
if(Kokkos_ENABLE_CUDA)
  include(KokkosWithCuda)
endif()

# CUDA's runtime alone needs no nvcc; linked in, it starts where there is no driver, too.
if(NOT BRICKWORK_SANITIZE)
  find_package(CUDAToolkit QUIET)
endif()
if(TARGET CUDA::cudart_static)
  set(BRICKWORK_HAS_CUDA_RUNTIME ON)
  message(STATUS "CUDA ${CUDAToolkit_VERSION} from ${CUDAToolkit_BIN_DIR}")
  find_path(CUBLASLT_INCLUDE_DIR cublasLt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
  if(CUBLASLT_INCLUDE_DIR)
    set(BRICKWORK_HAS_CUBLASLT ON)
  endif()
  # Its frontend is nothing but headers.
  set(BRICKWORK_CUDNN_FRONTEND ${PROJECT_SOURCE_DIR}/.deps/cudnn-frontend CACHE PATH
      "Where PyPI's nvidia-cudnn-frontend is installed")
  find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(CUDNN_INCLUDE_DIR AND EXISTS ${BRICKWORK_CUDNN_FRONTEND}/include/cudnn_frontend.h)
    set(BRICKWORK_HAS_CUDNN ON)
    message(STATUS "cuDNN's headers in ${CUDNN_INCLUDE_DIR}, its frontend in ${BRICKWORK_CUDNN_FRONTEND}")
  endif()
else()
  message(STATUS "CUDA's runtime not found: the rows of GPUs will be skipped")
endif()

# What every target of ours is compiled with. No -march: the simd backend dispatches at run time. Includes of ours are full
# paths from the project's root.
add_library(brickwork_options INTERFACE)
target_include_directories(brickwork_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(brickwork_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wno-missing-field-initializers>)
if(Kokkos_ENABLE_CUDA)
  target_compile_options(brickwork_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${OpenMP_CXX_FLAGS}>)
  # fmt 9 takes nvcc for a compiler without constexpr, and then calls from constexpr functions what are none.
  target_compile_definitions(brickwork_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:FMT_USE_CONSTEXPR=1>)
endif()
if(BRICKWORK_SANITIZE)
  # Null pointers and reads past an object are AddressSanitizer's, too, and nothing here casts down: without these three
  # of UndefinedBehaviorSanitizer the tests compile in two thirds of the time.
  # For the whole directory: a target's own options follow, and may switch a check off again.
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize=null,object-size,vptr;-fno-sanitize-recover=all>")
  target_link_options(brickwork_options INTERFACE -fsanitize=address,undefined)
endif()

# What is to be fast is in the libraries: the tests themselves are not optimised, which spares a quarter of their time to
# compile and costs 2 s of theirs to run.
set(brickwork_test_options $<$<COMPILE_LANGUAGE:CXX>:-O0>)
if(BRICKWORK_SANITIZE)
  # Two thirds of the time to compile a test would go into UndefinedBehaviorSanitizer's checks of the test itself, and into
  # the end of scope of each temporary of each expectation. The libraries that are tested keep both.
  list(APPEND brickwork_test_options
       $<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize-address-use-after-scope;-fno-sanitize=undefined>)
endif()

# The test libraries' headers are half of a test's compile time, and Kokkos' half of what is left: they are compiled once,
# here, for all tests. All have the same options for that. The object is main() of those that use Kokkos.
set(brickwork_test_libraries brickwork_options brickwork_rapidcheck fmt::fmt Kokkos::kokkoscore OpenMP::OpenMP_CXX
                             GTest::gmock)
add_library(brickwork_kokkos_test_main OBJECT ${PROJECT_SOURCE_DIR}/primitives/testing/kokkos_test_main.cpp)
target_link_libraries(brickwork_kokkos_test_main PUBLIC ${brickwork_test_libraries} PRIVATE brickwork_ops)
target_compile_options(brickwork_kokkos_test_main PRIVATE ${brickwork_test_options})
foreach(header gmock/gmock.h rapidcheck.h fmt/format.h Kokkos_Core.hpp)
  target_precompile_headers(brickwork_kokkos_test_main PRIVATE $<$<COMPILE_LANGUAGE:CXX>:<${header}$<ANGLE-R>>)
endforeach()

# brickwork_per_isa(files...): each includes itself once for every instruction set (Highway's foreach_target), so it must be
# a unit of its own where a preset joins files. x86's sets are AVX-512, AVX2 and, for processors older than 2013, plain
# C++; SSE4 and SSSE3 would double the time to compile. The sanitizers check AVX2's lanes for AVX-512's, too, and leave out
# the end of scope of every vector and the alignment of every pointer, two thirds of their time to compile.
function(brickwork_per_isa)
  set(disabled HWY_SSE4|HWY_SSSE3)
  if(BRICKWORK_SANITIZE)
    string(APPEND disabled |HWY_AVX3)
    set_source_files_properties(
      ${ARGN} PROPERTIES COMPILE_OPTIONS "-fno-sanitize-address-use-after-scope;-fno-sanitize=alignment")
  endif()
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON
                                                 COMPILE_DEFINITIONS "HWY_DISABLED_TARGETS=(${disabled})")
endfunction()

# brickwork_test_sources(target): it is compiled as tests are.
function(brickwork_test_sources target)
  target_link_libraries(${target} PRIVATE ${brickwork_test_libraries})
  target_compile_options(${target} PRIVATE ${brickwork_test_options})
  target_precompile_headers(${target} REUSE_FROM brickwork_kokkos_test_main)
  # Several files at a time, so that what they share of GoogleTest and RapidCheck is instantiated once: half the time.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 5)
endfunction()

# brickwork_test(name [KOKKOS] SOURCES ... LIBS ...): one GoogleTest program, every case its own ctest entry.
function(brickwork_test name)
  cmake_parse_arguments(ARG "KOKKOS" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  set(main $<IF:$<BOOL:${ARG_KOKKOS}>,brickwork_kokkos_test_main,GTest::gtest_main>)
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} ${main})
  brickwork_test_sources(${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 900)
endfunction()

# brickwork_device_code(target [HOPPER]): the compiler keeps what of this target becomes device code, as PTX; with
# Hopper's own instructions, for that alone. brickwork_check_device_code() assembles all of it for every architecture and
# holds it to the limits of a table, one for Hopper's. That needs no GPU.
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

# brickwork_check_ptx(test FOLDERS ... LIMITS table ARCH ... [SOME]): one test of all PTX in the folders; with SOME they do
# not have every kernel of the table.
function(brickwork_check_ptx test)
  cmake_parse_arguments(ARG "SOME" "LIMITS" "FOLDERS;ARCH" ${ARGN})
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  add_test(NAME ${test}
           COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/ptxas_limits.py --ptx ${ARG_FOLDERS}
                   --arch ${ARG_ARCH} --limits ${PROJECT_SOURCE_DIR}/kernels/gpu/cuda/${ARG_LIMITS}
                   --ptxas ${CUDAToolkit_BIN_DIR}/ptxas $<$<BOOL:${ARG_SOME}>:--some>
           COMMAND_EXPAND_LISTS)
  set_tests_properties(${test} PROPERTIES COST 100)  # long: begun last, it would be alone at the end
endfunction()

# Kernels of bricks on Hopper; and, as that takes minutes, long tests of every kernel on every architecture.
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
  # PTX of a later architecture is for no earlier one.
  set(architectures sm_90)
  if(CMAKE_CUDA_ARCHITECTURES MATCHES "(^|;)80(-virtual)?(;|$)")
    list(PREPEND architectures sm_80)
  endif()
  brickwork_check_ptx(DeviceCode.OfEveryArchitecture FOLDERS ${folders} LIMITS ptxas_limits.csv ARCH ${architectures})
  brickwork_check_ptx(DeviceCode.OfHopper FOLDERS ${hopper_folders} LIMITS ptxas_limits_hopper.csv ARCH sm_90a)
  set_tests_properties(DeviceCode.OfEveryArchitecture DeviceCode.OfHopper PROPERTIES LABELS long)
endfunction()

# brickwork_benchmark(name SOURCES ... LIBS ...): one Google Benchmark program; the sanitizers have nothing to tell of it.
function(brickwork_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} benchmark::benchmark)
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL "${BRICKWORK_SANITIZE}")
endfunction()
