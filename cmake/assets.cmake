# SPDX-License-Identifier: Apache-2.0
# refault_asset(symbol file out): a C file that defines the text of `file` as char symbol[].
function(refault_asset symbol file out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} _hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," _bytes "${_hex}")
  get_filename_component(_name ${file} NAME)
  file(CONFIGURE OUTPUT ${out} CONTENT
"/* Made from @_name@. */
extern const char @symbol@[];
const char @symbol@[] = {@_bytes@0};
" @ONLY)
endfunction()
