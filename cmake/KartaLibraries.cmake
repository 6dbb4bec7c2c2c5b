# SPDX-License-Identifier: Apache-2.0
# Every third-party library, each as an imported target, each with the package that brings it.
find_package(PkgConfig)
if(NOT PkgConfig_FOUND)
  message(FATAL_ERROR "pkg-config is missing: apt-get install pkg-config")
endif()
find_package(Threads REQUIRED)

# karta_library(TARGET MODULE PACKAGE): by pkg-config, with the Debian package named when it is absent
function(karta_library target module package)
  pkg_check_modules(${target} IMPORTED_TARGET GLOBAL ${module})
  if(NOT ${target}_FOUND)
    message(FATAL_ERROR "${module} is missing: apt-get install ${package}")
  endif()
  add_library(lib::${target} ALIAS PkgConfig::${target})
endfunction()

karta_library(jansson jansson libjansson-dev)
karta_library(yaml yaml-0.1 libyaml-dev)
karta_library(microhttpd libmicrohttpd libmicrohttpd-dev)
karta_library(gnutls gnutls libgnutls28-dev)
karta_library(crypto libcrypto libssl-dev)
karta_library(curl libcurl libcurl4-openssl-dev)
if(KARTA_TESTS)
  karta_library(cmocka cmocka libcmocka-dev)
endif()

# libjq 1.6 has no pkg-config file
find_path(KARTA_JQ_INCLUDE jq.h)
find_library(KARTA_JQ_LIBRARY jq)
if(NOT KARTA_JQ_INCLUDE OR NOT KARTA_JQ_LIBRARY)
  message(FATAL_ERROR "libjq is missing: apt-get install libjq-dev")
endif()
add_library(lib::jq UNKNOWN IMPORTED)
set_target_properties(lib::jq PROPERTIES IMPORTED_LOCATION ${KARTA_JQ_LIBRARY}
                      INTERFACE_INCLUDE_DIRECTORIES ${KARTA_JQ_INCLUDE})
target_link_libraries(lib::jq INTERFACE m)
