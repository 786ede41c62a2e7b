# Where Kokkos has CUDA, its headers are for nvcc alone. What includes them is compiled as CUDA, and all else by the
# host's compiler as ever, whether that Kokkos was built by its nvcc_wrapper or in CMake's own language.
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "This Kokkos has CUDA: put its nvcc on PATH, or take a Kokkos without, as the sanitizers must.")
endif()
kokkos_compiler_is_nvcc(cxx_is_nvcc ${CMAKE_CXX_COMPILER})
if(cxx_is_nvcc)
  message(FATAL_ERROR "CMAKE_CXX_COMPILER is Kokkos' nvcc_wrapper: set it to the host's compiler; nvcc gets its own.")
endif()
set_target_properties(Kokkos::kokkoscore PROPERTIES INTERFACE_COMPILE_OPTIONS "" INTERFACE_LINK_OPTIONS "")
# Of two runtimes in a process one would not know the other's kernels; and the driver's library may be absent.
set_target_properties(Kokkos::CUDA PROPERTIES
                      INTERFACE_LINK_LIBRARIES "brickwork_cuda_driver_calls;CUDA::cudart_static")
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)  # one compiler cannot read the other's

# brickwork_compile_for_kokkos(folders...): of these folders' sources, those that include Kokkos, by whatever way,
# become CUDA. Each is one that add_subdirectory() took.
function(brickwork_compile_for_kokkos)
  set(files)
  foreach(folder IN LISTS ARGN)
    file(GLOB_RECURSE in_folder ${PROJECT_SOURCE_DIR}/${folder}/*.cpp ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
    list(APPEND files ${in_folder})
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(included Kokkos_Core.hpp)  # by whoever includes Kokkos
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
  # They are the host's all the same, where what is for both may call what is not. What a requirement alone names, nvcc
  # takes for unused.
  set_source_files_properties(${sources} DIRECTORY ${PROJECT_SOURCE_DIR} ${ARGN} PROPERTIES
                              LANGUAGE CUDA COMPILE_OPTIONS --diag-suppress=177,20011,20013,20014,20015)
endfunction()
