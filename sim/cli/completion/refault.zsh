#compdef refault
# SPDX-License-Identifier: Apache-2.0
# zsh completion of refault. The program itself knows what can follow: "refault completion words".
_refault() {
    local line name open=
    local -a names texts open_names open_texts
    for line in "${(@f)$("${words[1]}" completion words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
        case $line in
        '') ;;
        :open) open=1 ;;
        :files*)
            compset -P '*='
            _files -g "*${line#:files }(-.)"
            ;;
        *)
            name=${line%%$'\t'*}
            if [[ -n $open || $name == *= ]]; then
                open_names+=("$name")
                open_texts+=("${line/$'\t'/  }")
            else
                names+=("$name")
                texts+=("${line/$'\t'/  }")
            fi
            ;;
        esac
    done
    (( ! $#names )) || compadd -l -d texts -a names
    (( ! $#open_names )) || compadd -l -S '' -d open_texts -a open_names
}
if [[ $funcstack[1] == _refault ]]; then
    _refault "$@"
else
    compdef _refault refault
fi
