# Completes longhaul in bash. What may stand at the cursor is known to the command itself.
_longhaul() {
    local line part word=${COMP_WORDS[COMP_CWORD]} before quoted
    local -a words=()
    COMPREPLY=()
    # bash takes a URL apart at its colons.
    for part in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if ((${#words[@]})) && [[ $part == :* || ${words[-1]} == *: ]]; then
            words[-1]+=$part
        else
            words+=("$part")
        fi
    done
    before=${words[-1]%"$word"}
    # bash takes --state=failed apart at the sign.
    [[ $word != "=" ]] || word=
    while IFS= read -r line; do
        case $line in
            :files)
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -f -- "$word")
                ;;
            :directories)
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -d -- "$word")
                ;;
            *)
                # Only the part after the last colon is replaced.
                line=${line%%$'\t'*}
                printf -v quoted %q "${line#"$before"}"
                COMPREPLY+=("$quoted")
                ;;
        esac
    done < <("${COMP_WORDS[0]}" help --complete "${words[@]}" 2>/dev/null)
}
complete -F _longhaul longhaul
