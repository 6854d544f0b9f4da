# bash completion for pksk                                                   -*- shell-script -*-

_pksk() {
    local cur prev
    cur=${COMP_WORDS[COMP_CWORD]}
    prev=${COMP_WORDS[COMP_CWORD - 1]}
    COMPREPLY=()
    case $prev in
    --mode)
        COMPREPLY=($(compgen -W 'table line json jsonl csv markdown' -- "$cur"))
        return
        ;;
    -f)
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    -c)
        return
        ;;
    esac
    case $cur in
    -*)
        COMPREPLY=($(compgen -W '--memory --durable -c -f --mode -q --no-init --keep-going --yes
            --version --help' -- "$cur"))
        return
        ;;
    esac
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -d -- "$cur"))
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY+=($(compgen -W 'repair' -- "$cur"))
    fi
}
complete -F _pksk pksk
