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
