# What `cmake --install` installs, for find_package(PosEnc): the libraries, their
# headers and td files in a folder of their own, the tools and the plugin.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(POSENC_INSTALL_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/posenc)
set(POSENC_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)

set(POSENC_LIBRARIES
  PosEncAnalysis PosEncBuilders PosEncCPU PosEncDialect PosEncFusion PosEncLoops
  PosEncMachine PosEncPasses PosEncReference PosEncRegister PosEncSchedule PosEncTileDialect)
foreach(library ${POSENC_LIBRARIES})
  target_compile_features(${library} INTERFACE cxx_std_17)
  # What the installed package says, for a project that adds this folder.
  target_include_directories(${library} INTERFACE "$<BUILD_INTERFACE:${POSENC_INCLUDE_DIRS}>")
  target_include_directories(${library} SYSTEM INTERFACE
    "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS};${LLVM_INCLUDE_DIRS}>")
endforeach()

install(TARGETS ${POSENC_LIBRARIES} EXPORT PosEncTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  INCLUDES DESTINATION ${POSENC_INSTALL_INCLUDEDIR})
# posenc-bench stays behind: it reads the examples of the tests.
install(TARGETS posenc-compile posenc-lsp-server posenc-opt posenc-reduce posenc-run PosEncPlugin
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/dialects ${PROJECT_SOURCE_DIR}/passes
  ${PROJECT_SOURCE_DIR}/include/posenc
  DESTINATION ${POSENC_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN Assembly.h EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/dialects ${PROJECT_BINARY_DIR}/passes
  DESTINATION ${POSENC_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h.inc" PATTERN CMakeFiles EXCLUDE)

install(EXPORT PosEncTargets DESTINATION ${POSENC_INSTALL_CMAKEDIR})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/PosEncConfig.cmake.in
  ${PROJECT_BINARY_DIR}/PosEncConfig.cmake
  INSTALL_DESTINATION ${POSENC_INSTALL_CMAKEDIR}
  PATH_VARS POSENC_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/PosEncConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/PosEncConfig.cmake
  ${PROJECT_BINARY_DIR}/PosEncConfigVersion.cmake
  DESTINATION ${POSENC_INSTALL_CMAKEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
