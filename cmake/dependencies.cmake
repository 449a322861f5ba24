# SPDX-License-Identifier: Apache-2.0
# What refault links with. A missing one stops the configuration and names the Debian package.

find_package(PkgConfig QUIET)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# refault_dependency(TARGET pkg-config-name library header debian-package)
# makes the interface library TARGET. Where there is pkg-config it must know the library, as whoever
# links librefault.a will ask it; elsewhere the plain search paths decide.
function(refault_dependency target pc lib header package)
  if(TARGET ${target})
    return()
  endif()
  if(PKG_CONFIG_FOUND)
    pkg_check_modules(${target}_PC QUIET ${pc})
  endif()
  find_library(${target}_LIBRARY NAMES ${lib} HINTS ${${target}_PC_LIBRARY_DIRS})
  find_path(${target}_INCLUDE NAMES ${header} HINTS ${${target}_PC_INCLUDE_DIRS})
  mark_as_advanced(${target}_LIBRARY ${target}_INCLUDE)
  if(NOT ${target}_LIBRARY OR NOT ${target}_INCLUDE
     OR (PKG_CONFIG_FOUND AND NOT ${target}_PC_FOUND))
    message(FATAL_ERROR
      "refault needs ${lib} (${pc}.pc, header <${header}>), which was not found. "
      "On Debian or Ubuntu: apt-get install ${package}")
  endif()
  add_library(${target} INTERFACE)
  target_link_libraries(${target} INTERFACE ${${target}_LIBRARY})
  target_include_directories(${target} SYSTEM INTERFACE ${${target}_INCLUDE})
endfunction()

refault_dependency(dep_lz4 liblz4 lz4 lz4.h liblz4-dev)
refault_dependency(dep_zstd libzstd zstd zstd.h libzstd-dev)
refault_dependency(dep_zlib zlib z zlib.h zlib1g-dev)
refault_dependency(dep_xxhash libxxhash xxhash xxhash.h libxxhash-dev)
refault_dependency(dep_jansson jansson jansson jansson.h libjansson-dev)

add_library(refault_deps INTERFACE)
target_link_libraries(refault_deps INTERFACE dep_lz4 dep_zstd dep_zlib dep_xxhash Threads::Threads m)
add_library(refault_prog_deps INTERFACE)
target_link_libraries(refault_prog_deps INTERFACE dep_jansson)
add_library(refault_malloc INTERFACE)
if(REFAULT_JEMALLOC)
  refault_dependency(dep_jemalloc jemalloc jemalloc jemalloc/jemalloc.h libjemalloc-dev)
  # Nothing names jemalloc's own symbols, so the linker must be told to keep it.
  target_link_libraries(refault_malloc INTERFACE
                        -Wl,--push-state,--no-as-needed dep_jemalloc -Wl,--pop-state)
  target_sources(refault_malloc INTERFACE ${PROJECT_SOURCE_DIR}/cmake/jemalloc.c)
endif()
if(BUILD_TESTING)
  refault_dependency(dep_cmocka cmocka cmocka cmocka.h libcmocka-dev)
endif()
