# SPDX-License-Identifier: Apache-2.0
if(TARGET refault)
  install(TARGETS refault RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS librefault ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/refault DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/profiles)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/refault
          FILES_MATCHING PATTERN "*.ini")
endif()
set(_completion ${PROJECT_SOURCE_DIR}/sim/cli/completion)
install(FILES ${_completion}/refault.bash RENAME refault
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${_completion}/refault.zsh RENAME _refault
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${_completion}/refault.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
file(GLOB _man CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
if(_man)
  install(FILES ${_man} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
# The prefix is said relative to the file, so that "cmake --install --prefix" needs no new configuration.
file(RELATIVE_PATH _to_prefix /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${PROJECT_SOURCE_DIR}/cmake/refault.pc.in ${PROJECT_BINARY_DIR}/refault.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/refault.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
