# Installs programs, library, scripts and data. The tree may be moved. Scripts lie in share/brickwork as they lie in the
# sources, so that they find their data by the same relative paths.
install(CODE "
  if(NOT EXISTS \"$<TARGET_FILE:brickwork_library>\")
    message(FATAL_ERROR \"only a part is built, as by scripts/reproduce: run cmake --build without --target, then install\")
  endif()")
set(share ${CMAKE_INSTALL_DATADIR}/brickwork)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/brickwork)

# Programs, and the shared library with its C API.
install(TARGETS brickwork learn RUNTIME_DEPENDENCY_SET brickwork_needs)
foreach(companion brickwork-onednn-latest brickwork-pytorch brickwork-dynet brickwork-tvm)
  if(TARGET ${companion})
    install(TARGETS ${companion})
  endif()
endforeach()
install(TARGETS brickwork_library EXPORT brickwork RUNTIME_DEPENDENCY_SET brickwork_needs)
install(DIRECTORY library/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# Kokkos and oneDNN come along where scripts/setup put them into .deps, in a folder of their own, where no other program
# finds them. Libraries of the system, of Spack and of the user do not.
install(RUNTIME_DEPENDENCY_SET brickwork_needs
        PRE_INCLUDE_REGEXES "^lib(kokkos|dnnl)" PRE_EXCLUDE_REGEXES ".*"
        POST_INCLUDE_REGEXES "/[.]deps/" POST_EXCLUDE_REGEXES ".*"
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/brickwork)

# find_package(brickwork) and pkg-config.
include(CMakePackageConfigHelpers)
install(EXPORT brickwork NAMESPACE brickwork:: DESTINATION ${package})
configure_package_config_file(cmake/brickworkConfig.cmake.in brickworkConfig.cmake INSTALL_DESTINATION ${package}
                              PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(brickworkConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/brickworkConfig.cmake ${PROJECT_BINARY_DIR}/brickworkConfigVersion.cmake
        DESTINATION ${package})
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/brickwork.pc.in brickwork.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/brickwork.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Scripts and their data.
install(DIRECTORY experiments/shapes experiments/references DESTINATION ${share}/experiments)
install(FILES experiments/claims.toml DESTINATION ${share}/experiments)
install(DIRECTORY plots/ DESTINATION ${share}/plots
        FILES_MATCHING PATTERN "*.py" PATTERN "*.j2"
        PATTERN "test*" EXCLUDE PATTERN conftest.py EXCLUDE PATTERN __pycache__ EXCLUDE)
set(commands reproduce report check-regression compare-builds)
list(TRANSFORM commands PREPEND scripts/ OUTPUT_VARIABLE scripts)
install(PROGRAMS ${scripts} scripts/cpus scripts/python DESTINATION ${share}/scripts)
set(modules builds compare_builds comparison comparison_text export_digits paired_runs paired_times run_warnings)
list(TRANSFORM modules REPLACE "(.+)" "scripts/\\1.py")
install(FILES ${modules} scripts/requirements.txt DESTINATION ${share}/scripts)
install(FILES LICENSE CITATION.cff DESTINATION ${share})

# The text on which learn trains its network of characters.
install(CODE "
  execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/scripts/training-text\" COMMAND_ERROR_IS_FATAL ANY
                  OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${share}/text.txt\")")

# Commands in bin/ lead to the scripts, which find themselves behind the link.
file(RELATIVE_PATH bin_to_scripts ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/brickwork/scripts)
foreach(command ${commands})
  install(CODE "file(CREATE_LINK \"${bin_to_scripts}/${command}\"
                     \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/brickwork-${command}\" SYMBOLIC)")
endforeach()
