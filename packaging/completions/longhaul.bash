# bash completion for longhaul. `longhaul help --complete` lists the candidates for the current word.
_longhaul() {
    local line part word=${COMP_WORDS[COMP_CWORD]} before quoted
    local -a words=()
    COMPREPLY=()
    # bash splits words at colons. Joins the parts of a URL.
    for part in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if ((${#words[@]})) && [[ $part == :* || ${words[-1]} == *: ]]; then
            words[-1]+=$part
        else
            words+=("$part")
        fi
    done
    before=${words[-1]%"$word"}
    # bash splits --state=failed into three words. The current one may be the equals sign.
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
                # bash replaces only the part after the last colon.
                line=${line%%$'\t'*}
                printf -v quoted %q "${line#"$before"}"
                COMPREPLY+=("$quoted")
                ;;
        esac
    done < <("${COMP_WORDS[0]}" help --complete "${words[@]}" 2>/dev/null)
}
complete -F _longhaul longhaul
