# SPDX-License-Identifier: Apache-2.0
# bash completion of refault. The program itself knows what can follow: "refault completion words".
_refault() {
    local line=${COMP_LINE:0:COMP_POINT} words=() found=() i keep
    read -ra words <<<"$line"
    [[ $line != *[[:space:]] ]] || words+=('')
    mapfile -t found < <("$1" completion words -- "${words[@]:1}" 2>/dev/null)
    COMPREPLY=()
    for ((i = 0; i < ${#found[@]}; i++)); do
        case ${found[i]} in
        :files*)
            _refault_files "${found[i]#:files}"
            ;;
        :open)
            compopt -o nospace 2>/dev/null
            ;;
        *)
            COMPREPLY+=("${found[i]%%$'\t'*}")
            ;;
        esac
    done
    # Readline replaces only what follows the last = or : of a word.
    if [[ ${words[-1]} == *[=:]* && $COMP_WORDBREAKS == *=* ]]; then
        keep=${words[-1]%"${words[-1]##*[=:]}"}
        COMPREPLY=("${COMPREPLY[@]#"$keep"}")
    fi
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then
        compopt -o nospace 2>/dev/null
    fi
}
# _refault_files [SUFFIX]: folders, and the files that end so.
_refault_files() {
    local part=${words[-1]} f
    part=${part##*=}
    compopt -o filenames 2>/dev/null
    while IFS= read -r f; do
        [[ -d $f || $f == *"${1# }" ]] && COMPREPLY+=("$f")
    done < <(compgen -f -- "$part")
}
complete -F _refault refault
