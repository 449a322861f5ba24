# SPDX-License-Identifier: Apache-2.0
# fish completion of refault. The program itself knows what can follow: "refault completion words".
function __refault_words
    set -l done (commandline -opc)
    set -l part (commandline -ct)
    for line in ($done[1] completion words -- $done[2..] $part 2>/dev/null)
        switch $line
            case ':files*'
                set -l suffix (string replace -r '^:files ?' '' -- $line)
                __fish_complete_suffix (string replace -r '.*=' '' -- $part) "$suffix"
            case ':open'
                continue
            case '*'
                echo $line
        end
    end
end
complete -c refault -f -a '(__refault_words)'
