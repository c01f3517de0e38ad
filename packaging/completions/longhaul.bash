# Completes longhaul in bash. What may stand at the cursor is known to the command itself.
_longhaul() {
    local line word=${COMP_WORDS[COMP_CWORD]} quoted
    COMPREPLY=()
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
                printf -v quoted %q "${line%%$'\t'*}"
                COMPREPLY+=("$quoted")
                ;;
        esac
    done < <("${COMP_WORDS[0]}" help --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _longhaul longhaul
