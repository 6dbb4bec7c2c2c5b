# SPDX-License-Identifier: Apache-2.0
# One interface target, karta_compile, that every target of ours links: warnings, hardening, sanitizers.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)

set(KARTA_SANITIZE "" CACHE STRING "sanitizers to build with, e.g. address,undefined")
option(KARTA_WERROR "treat warnings as errors" ON)

add_library(karta_compile INTERFACE)
target_compile_definitions(karta_compile INTERFACE _GNU_SOURCE KARTA_VERSION="${PROJECT_VERSION}")

function(karta_flag flag)
  string(MAKE_C_IDENTIFIER "HAVE_C${flag}" name)
  check_c_compiler_flag("-Werror ${flag}" ${name})
  if(${name})
    target_compile_options(karta_compile INTERFACE "${flag}")
  endif()
endfunction()

function(karta_link_flag flag)
  string(MAKE_C_IDENTIFIER "HAVE_L${flag}" name)
  check_linker_flag(C "${flag}" ${name})
  if(${name})
    target_link_options(karta_compile INTERFACE "${flag}")
  endif()
endfunction()

foreach(flag -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
             -Wformat=2 -Wundef -Wvla -fno-strict-aliasing)
  karta_flag(${flag})
endforeach()
if(KARTA_WERROR)
  target_compile_options(karta_compile INTERFACE -Werror)
endif()

if(KARTA_SANITIZE)
  target_compile_options(karta_compile INTERFACE -fsanitize=${KARTA_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all)
  target_link_options(karta_compile INTERFACE -fsanitize=${KARTA_SANITIZE})
else()
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection)
    karta_flag(${flag})
  endforeach()
  # Debian's compilers may predefine the macro, and glibc wants an optimised build for it
  target_compile_options(karta_compile INTERFACE
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
endif()
karta_link_flag(-Wl,-z,relro)
karta_link_flag(-Wl,-z,now)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
