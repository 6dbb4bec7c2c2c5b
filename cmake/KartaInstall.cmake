# SPDX-License-Identifier: Apache-2.0
# Programs, library, headers and data under the prefix. Targets install themselves in their rooms.
install(DIRECTORY definitions profiles DESTINATION ${CMAKE_INSTALL_DATADIR}/karta
        FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY resolver/include/karta DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/karta.pc.in karta.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/karta.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# kubectl finds its plugins by name: "kubectl karta" is kartactl
file(CREATE_LINK kartactl ${CMAKE_BINARY_DIR}/kubectl-karta SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/kubectl-karta DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES packaging/systemd/karta-webhook.service DESTINATION lib/systemd/system)
install(FILES man/kartactl.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES man/karta-webhook.8 DESTINATION ${CMAKE_INSTALL_MANDIR}/man8)

# completions come from the program itself, so that they know what it knows
foreach(shell bash zsh fish)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/completions/${shell}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/completions
    COMMAND kartactl completion ${shell} > ${CMAKE_BINARY_DIR}/completions/${shell}
    DEPENDS kartactl VERBATIM)
  list(APPEND KARTA_COMPLETIONS ${CMAKE_BINARY_DIR}/completions/${shell})
endforeach()
add_custom_target(completions ALL DEPENDS ${KARTA_COMPLETIONS})
install(FILES ${CMAKE_BINARY_DIR}/completions/bash RENAME kartactl
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${CMAKE_BINARY_DIR}/completions/zsh RENAME _kartactl
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${CMAKE_BINARY_DIR}/completions/fish RENAME kartactl.fish
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
