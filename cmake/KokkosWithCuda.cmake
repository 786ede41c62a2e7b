# The headers of a Kokkos with CUDA are for nvcc alone. Sources that include them are compiled as CUDA, all others by
# the host's compiler, whether that Kokkos was built by its nvcc_wrapper or by CMake's language CUDA.
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "This Kokkos has CUDA: put its nvcc on PATH, or use a Kokkos without CUDA (the sanitizers need one).")
endif()
kokkos_compiler_is_nvcc(cxx_is_nvcc ${CMAKE_CXX_COMPILER})
if(cxx_is_nvcc)
  message(FATAL_ERROR "CMAKE_CXX_COMPILER is Kokkos' nvcc_wrapper: set it to the host's compiler; CMake calls nvcc itself.")
endif()
set_target_properties(Kokkos::kokkoscore PROPERTIES INTERFACE_COMPILE_OPTIONS "" INTERFACE_LINK_OPTIONS "")
# With two CUDA runtimes in a process, one would not know the other's kernels. The driver's library may be absent.
set_target_properties(Kokkos::CUDA PROPERTIES
                      INTERFACE_LINK_LIBRARIES "brickwork_cuda_driver_calls;CUDA::cudart_static")
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)  # one compiler cannot read the other's headers

# brickwork_compile_for_kokkos(folders...): compiles the sources of these folders that include Kokkos, directly or not,
# as CUDA. Each folder was added by add_subdirectory().
function(brickwork_compile_for_kokkos)
  set(files)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE in_folder ${PROJECT_SOURCE_DIR}/${folder}/*.cpp ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
    list(APPEND files ${in_folder})
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(included Kokkos_Core.hpp)  # and all headers that include it
  set(size 0)
  list(LENGTH included grown)
  while(grown GREATER size)
    set(size ${grown})
    list(JOIN included "|" names)
    string(REPLACE "." "[.]" names "${names}")
    set(left)
    foreach(file IN LISTS files)
      file(STRINGS ${file} found REGEX "^#include [<\"](.*/)?(${names})[>\"]" LIMIT_COUNT 1)
      if(NOT found)
        list(APPEND left ${file})
      elseif(file MATCHES "[.]hpp$")
        get_filename_component(name ${file} NAME)
        list(APPEND included ${name})
      else()
        list(APPEND sources ${file})
      endif()
    endforeach()
    set(files ${left})
    list(LENGTH included grown)
  endwhile()
  # These sources still run on the host, so their functions for both sides may call functions of the host. nvcc also
  # takes a name for unused that only a requires-clause names.
  set_source_files_properties(${sources} DIRECTORY ${PROJECT_SOURCE_DIR} ${ARGN} PROPERTIES
                              LANGUAGE CUDA COMPILE_OPTIONS --diag-suppress=177,20011,20013,20014,20015)
endfunction()
