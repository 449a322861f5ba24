# SPDX-License-Identifier: Apache-2.0
# Every test is registered with ctest: cmocka programs, command-line cases, check scripts.

set(_test_env "REFAULT=$<IF:$<TARGET_EXISTS:refault>,${PROJECT_BINARY_DIR}/refault,>"
              "REFAULT_SRC=${PROJECT_SOURCE_DIR}")
if(REFAULT_SANITIZE)
  list(APPEND _test_env "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
                        "ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1"
                        "REFAULT_SANITIZED=1")
endif()
if(REFAULT_COVERAGE)
  list(APPEND _test_env "REFAULT_SANITIZED=1") # objects that a plain link does not take
endif()

foreach(_kind unit property golden)
  file(GLOB _tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${_kind}/test_*.c)
  foreach(_t IN LISTS _tests)
    get_filename_component(_n ${_t} NAME_WE)
    set(_target ${_kind}_${_n})
    add_executable(${_target} ${_t})
    target_include_directories(${_target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/sim)
    target_compile_definitions(${_target} PRIVATE REFAULT_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    # A release build turns assert() off everywhere else; in a test it is a check.
    target_compile_options(${_target} PRIVATE -UNDEBUG)
    target_link_options(${_target} PRIVATE $<$<C_COMPILER_ID:GNU>:-fno-lto>)
    target_link_libraries(${_target} PRIVATE $<TARGET_NAME_IF_EXISTS:refault_sim> librefault
                                             dep_cmocka dep_jansson)
    # liblzo2 is under the GPL: it checks our own lzo in tests and is linked with nothing else.
    if(_n MATCHES "^test_lzo")
      refault_dependency(dep_lzo2 lzo2 lzo2 lzo/lzo1x.h liblzo2-dev)
      target_link_libraries(${_target} PRIVATE dep_lzo2)
    endif()
    set_target_properties(${_target} PROPERTIES OUTPUT_NAME ${_n}
                          RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/${_kind})
    add_test(NAME ${_kind}/${_n} COMMAND ${_target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${_kind}/${_n} PROPERTIES ENVIRONMENT "${_test_env}" TIMEOUT 300)
  endforeach()
endforeach()

if(TARGET refault)
  file(GLOB_RECURSE _cases CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/cli/cmd.sh)
  foreach(_c IN LISTS _cases)
    get_filename_component(_dir ${_c} DIRECTORY)
    file(RELATIVE_PATH _n ${PROJECT_SOURCE_DIR}/tests/cli ${_dir})
    add_test(NAME cli/${_n} COMMAND sh ${PROJECT_SOURCE_DIR}/tests/cli/run.sh ${_dir})
    set_tests_properties(cli/${_n} PROPERTIES ENVIRONMENT "${_test_env}" TIMEOUT 300)
  endforeach()
endif()

file(GLOB _checks CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/check-*.sh)
foreach(_c IN LISTS _checks)
  get_filename_component(_n ${_c} NAME_WE)
  add_test(NAME ${_n} COMMAND bash ${_c} WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
  set_tests_properties(${_n} PROPERTIES ENVIRONMENT "${_test_env}" TIMEOUT 600
                       SKIP_RETURN_CODE 77)
endforeach()
