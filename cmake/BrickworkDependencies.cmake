# Finds all libraries of the project. A Kokkos, oneDNN, LIBXSMM or OpenBLAS on CMAKE_PREFIX_PATH (spack, a user's own
# build) wins over the one that scripts/setup put into .deps. If an optional library is missing, BRICKWORK_HAS_<NAME>
# stays unset and the rows of its contenders say so. The options leave a library out although it is there.
option(BRICKWORK_WITH_ONEDNN "Use oneDNN if it is found" ON)
option(BRICKWORK_WITH_LIBXSMM "Use LIBXSMM if it is found" ON)
option(BRICKWORK_WITH_OPENBLAS "Use OpenBLAS if it is found" ON)
option(BRICKWORK_WITH_CUDA "Use CUDA if it is found" ON)

find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(benchmark REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(hwy REQUIRED IMPORTED_TARGET libhwy)
pkg_check_modules(isl REQUIRED IMPORTED_TARGET isl)

find_path(CSV_INCLUDE_DIR csv.h REQUIRED)
find_library(CSV_LIBRARY csv REQUIRED)
add_library(brickwork_csv INTERFACE)
target_include_directories(brickwork_csv SYSTEM INTERFACE ${CSV_INCLUDE_DIR})
target_link_libraries(brickwork_csv INTERFACE ${CSV_LIBRARY})

file(GLOB brickwork_deps LIST_DIRECTORIES true
     ${PROJECT_SOURCE_DIR}/.deps/venv
     ${PROJECT_SOURCE_DIR}/.deps/venv/lib/python3*/site-packages/pygenten)
# separable_compilation is there for a Kokkos with CUDA, which would otherwise compile all of our code by its own
# compiler.
find_package(Kokkos 4.7 CONFIG REQUIRED COMPONENTS separable_compilation
             PATHS ${brickwork_deps} PATH_SUFFIXES lib64/cmake/Kokkos)
message(STATUS "Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) from ${Kokkos_DIR}")

find_package(dnnl 3.2 CONFIG QUIET PATHS ${brickwork_deps})
if(BRICKWORK_WITH_ONEDNN AND dnnl_FOUND)
  set(BRICKWORK_HAS_ONEDNN ON)
  message(STATUS "oneDNN ${dnnl_VERSION} from ${dnnl_DIR}")
else()
  message(STATUS "oneDNN not found or left out: its rows will be skipped")
endif()

# The newest oneDNN is for a program of its own. find_package cannot find it, because it knows one oneDNN only.
set(BRICKWORK_ONEDNN_LATEST ${PROJECT_SOURCE_DIR}/.deps/onednn-latest CACHE PATH "Where PyPI's onednn is installed")
if(EXISTS ${BRICKWORK_ONEDNN_LATEST}/include/oneapi/dnnl/dnnl.hpp AND NOT BRICKWORK_SANITIZE)
  set(BRICKWORK_HAS_ONEDNN_LATEST ON)
  add_library(brickwork_onednn_latest INTERFACE)
  target_include_directories(brickwork_onednn_latest SYSTEM INTERFACE ${BRICKWORK_ONEDNN_LATEST}/include)
  target_link_libraries(brickwork_onednn_latest INTERFACE -L${BRICKWORK_ONEDNN_LATEST}/lib -ldnnl)
  # The libraries that its SYCL loads are found by the program's path only if that is an RPATH and not a RUNPATH. CMake
  # would write a RUNPATH, so the path is a flag; CMake would also warn of the package's own libhwloc, which works as
  # well.
  target_link_options(brickwork_onednn_latest INTERFACE LINKER:--disable-new-dtags,-rpath,${BRICKWORK_ONEDNN_LATEST}/lib)
  message(STATUS "newest oneDNN from ${BRICKWORK_ONEDNN_LATEST}")
endif()

# PyTorch is for a program of its own, too. Only its CPU library is linked, and not by PyTorch's CMake package, which
# would need all of CUDA. The RPATH of the CPU library finds the libraries that it needs.
set(BRICKWORK_PYTORCH ${PROJECT_SOURCE_DIR}/.deps/pytorch CACHE PATH "The folder (site-packages) that holds torch/")
if(EXISTS ${BRICKWORK_PYTORCH}/torch/lib/libtorch_cpu.so AND NOT BRICKWORK_SANITIZE)
  set(BRICKWORK_HAS_PYTORCH ON)
  set(torch ${BRICKWORK_PYTORCH}/torch)
  add_library(brickwork_pytorch INTERFACE)
  target_include_directories(brickwork_pytorch SYSTEM INTERFACE ${torch}/include
                                                                ${torch}/include/torch/csrc/api/include)
  # Linked by flags: CMake would warn of the package's own libgomp, which then serves the whole process.
  target_link_libraries(brickwork_pytorch INTERFACE -L${torch}/lib -ltorch_cpu -lc10)
  target_link_options(brickwork_pytorch INTERFACE LINKER:-rpath,${torch}/lib)
  message(STATUS "PyTorch from ${BRICKWORK_PYTORCH}")
endif()

# DyNet has an interface for Python alone: its program contains an interpreter, that of scripts/setup.
set(BRICKWORK_DYNET ${PROJECT_SOURCE_DIR}/.deps/dynet CACHE PATH "The folder (site-packages) that holds dynet.py")
if(EXISTS ${BRICKWORK_DYNET}/dynet.py AND NOT BRICKWORK_SANITIZE)
  if(NOT DEFINED Python_EXECUTABLE)
    set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.deps/venv/bin/python)
  endif()
  find_package(Python 3.11 COMPONENTS Interpreter Development.Embed)
  if(Python_Development.Embed_FOUND)
    set(BRICKWORK_HAS_DYNET ON)
    message(STATUS "DyNet from ${BRICKWORK_DYNET}")
  else()
    message(STATUS "DyNet is left out: ${Python_EXECUTABLE} has no library to link to")
  endif()
endif()

# TVM tunes in Python, that of scripts/setup. The code that it finds runs in a program of its own with TVM's threads.
set(BRICKWORK_TVM ${PROJECT_SOURCE_DIR}/.deps/tvm CACHE PATH "The folder (site-packages) that holds tvm/")
if(EXISTS ${BRICKWORK_TVM}/tvm/lib/libtvm_runtime.so AND NOT BRICKWORK_SANITIZE)
  if(NOT DEFINED Python_EXECUTABLE)
    set(Python_EXECUTABLE ${PROJECT_SOURCE_DIR}/.deps/venv/bin/python)
  endif()
  set(BRICKWORK_HAS_TVM ON)
  file(GLOB tvm_package LIST_DIRECTORIES true ${BRICKWORK_TVM}/apache_tvm-*.dist-info)
  string(REGEX REPLACE ".*/apache_tvm-(.*)[.]dist-info" "\\1" BRICKWORK_TVM_VERSION "${tvm_package}")
  add_library(brickwork_tvm INTERFACE)
  set(ffi ${BRICKWORK_TVM}/tvm_ffi)
  target_include_directories(brickwork_tvm SYSTEM INTERFACE ${ffi}/include)
  # The code calls the runtime by addresses that the runtime announces: no linker sees that it is needed.
  target_link_libraries(brickwork_tvm INTERFACE
    -Wl,--push-state,--no-as-needed -L${ffi}/lib -ltvm_ffi -L${BRICKWORK_TVM}/tvm/lib -ltvm_runtime -Wl,--pop-state)
  target_link_options(brickwork_tvm INTERFACE LINKER:-rpath,${ffi}/lib,-rpath,${BRICKWORK_TVM}/tvm/lib)
  message(STATUS "TVM ${BRICKWORK_TVM_VERSION} from ${BRICKWORK_TVM}")
endif()

# LIBXSMM 1.17 has the JIT bricks and the paper authors' own primitives; 2.x has no primitives.
pkg_check_modules(libxsmm QUIET libxsmm libxsmmext libxsmmnoblas)
if(BRICKWORK_WITH_LIBXSMM AND libxsmm_FOUND AND libxsmm_libxsmm_VERSION VERSION_LESS 2)
  set(BRICKWORK_HAS_LIBXSMM ON)
  add_library(brickwork_libxsmm INTERFACE)
  target_include_directories(brickwork_libxsmm SYSTEM INTERFACE ${libxsmm_INCLUDE_DIRS})
  target_link_directories(brickwork_libxsmm INTERFACE ${libxsmm_LIBRARY_DIRS})
  target_link_libraries(brickwork_libxsmm INTERFACE xsmmext xsmm xsmmnoblas OpenMP::OpenMP_CXX Threads::Threads
                                                    ${CMAKE_DL_LIBS} m)
  message(STATUS "LIBXSMM ${libxsmm_libxsmm_VERSION}")
else()
  message(STATUS "LIBXSMM 1.17 not found or left out: its rows will be skipped")
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

# OpenBLAS must be built with OpenMP, so that the process has one thread pool.
pkg_check_modules(openblas QUIET IMPORTED_TARGET openblas)
if(BRICKWORK_WITH_OPENBLAS AND openblas_FOUND)
  set(BRICKWORK_HAS_OPENBLAS ON)
  message(STATUS "OpenBLAS ${openblas_VERSION}")
else()
  message(STATUS "OpenBLAS not found or left out: its rows will be skipped")
endif()

# The sanitizers check host code only, and nvcc would add half a minute to their build.
if(BRICKWORK_WITH_CUDA AND NOT BRICKWORK_SANITIZE)
  include(CheckLanguage)
  check_language(CUDA)
endif()
if(BRICKWORK_WITH_CUDA AND CMAKE_CUDA_COMPILER)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    if(Kokkos_ENABLE_CUDA)
      set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})
    elseif(EXISTS /dev/nvidiactl)
      set(CMAKE_CUDA_ARCHITECTURES 90)
    else()
      # Without a GPU nobody runs device code, so ptxas is left out: it takes as long again. The DeviceCode tests
      # assemble all of this PTX anyway; it is made for the earliest architecture. On a machine with a GPU the driver
      # assembles it when the program starts.
      set(CMAKE_CUDA_ARCHITECTURES 80-virtual)
    endif()
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA_STANDARD 20)
  if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc has this option
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  set(BRICKWORK_HAS_CUDA ON)
  find_package(CUDAToolkit REQUIRED)
endif()
if(Kokkos_ENABLE_CUDA)
  include(KokkosWithCuda)
endif()

# CUDA's runtime needs no nvcc. Linked statically, it also starts on a machine without a driver.
if(BRICKWORK_WITH_CUDA AND NOT BRICKWORK_SANITIZE)
  find_package(CUDAToolkit QUIET)
endif()
if(BRICKWORK_WITH_CUDA AND TARGET CUDA::cudart_static)
  set(BRICKWORK_HAS_CUDA_RUNTIME ON)
  message(STATUS "CUDA ${CUDAToolkit_VERSION} from ${CUDAToolkit_BIN_DIR}")
  find_path(CUBLASLT_INCLUDE_DIR cublasLt.h HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
  if(CUBLASLT_INCLUDE_DIR)
    set(BRICKWORK_HAS_CUBLASLT ON)
  endif()
  # cuDNN's frontend consists of headers only.
  set(BRICKWORK_CUDNN_FRONTEND ${PROJECT_SOURCE_DIR}/.deps/cudnn-frontend CACHE PATH
      "Where PyPI's nvidia-cudnn-frontend is installed")
  find_path(CUDNN_INCLUDE_DIR cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS})
  if(CUDNN_INCLUDE_DIR AND EXISTS ${BRICKWORK_CUDNN_FRONTEND}/include/cudnn_frontend.h)
    set(BRICKWORK_HAS_CUDNN ON)
    message(STATUS "cuDNN's headers in ${CUDNN_INCLUDE_DIR}, its frontend in ${BRICKWORK_CUDNN_FRONTEND}")
  endif()
else()
  message(STATUS "CUDA's runtime not found or left out: the rows of GPUs will be skipped")
endif()

# Options of all our targets. There is no -march, because the simd backend dispatches at run time. Includes are full
# paths from the project's root.
add_library(brickwork_options INTERFACE)
target_include_directories(brickwork_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(brickwork_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wno-missing-field-initializers>)
if(Kokkos_ENABLE_CUDA)
  target_compile_options(brickwork_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${OpenMP_CXX_FLAGS}>)
  # fmt 9 thinks that nvcc has no constexpr; then its constexpr functions call functions that are not constexpr.
  target_compile_definitions(brickwork_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:FMT_USE_CONSTEXPR=1>)
endif()
if(BRICKWORK_SANITIZE)
  # AddressSanitizer also finds null pointers and reads past an object, and nothing here casts down: without these three
  # checks of UndefinedBehaviorSanitizer the tests compile in two thirds of the time. The options are for the whole
  # directory, so a target's own options follow and may switch a check off.
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CXX>:-fsanitize=address,undefined;-fno-sanitize=null,object-size,vptr;-fno-sanitize-recover=all>")
  target_link_options(brickwork_options INTERFACE -fsanitize=address,undefined)
endif()

# brickwork_per_isa(files...): files that include themselves once per instruction set (Highway's foreach_target). Each
# must be compiled by itself if a preset joins files. On x86 the sets are AVX-512, AVX2 and, for processors older than
# 2013, plain C++; SSE4 and SSSE3 would double the time to compile. Under the sanitizers AVX2 stands for AVX-512, and two
# checks are off that would take two thirds of the time: of every vector's end of scope, and of every pointer's alignment,
# which loads of vectors do not need.
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

# brickwork_benchmark(name SOURCES ... LIBS ...): one Google Benchmark program, not built under the sanitizers.
function(brickwork_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBS} benchmark::benchmark)
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL "${BRICKWORK_SANITIZE}")
endfunction()
