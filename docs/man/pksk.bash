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
    --log)
        COMPREPLY=($(compgen -W 'text json' -- "$cur"))
        return
        ;;
    --view)
        COMPREPLY=($(compgen -W 'heat collections stream indexes split' -- "$cur"))
        return
        ;;
    --theme)
        COMPREPLY=($(compgen -W 'light dark' -- "$cur"))
        return
        ;;
    --port | --host | --allow-host | --cors | --region | --table)
        return
        ;;
    --endpoint)
        COMPREPLY=($(compgen -W 'http://localhost:8000' -- "$cur"))
        return
        ;;
    --profile)
        COMPREPLY=($(compgen -W "$(sed -n 's/^\[\(profile  *\)\{0,1\}\([^] ]*\)\].*/\2/p' \
            ~/.aws/config ~/.aws/credentials 2>/dev/null)" -- "$cur"))
        return
        ;;
    -f | --auth)
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    -c)
        return
        ;;
    esac
    if [ "${COMP_WORDS[1]}" = serve ] && [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W '--memory --durable --port --host --auth --allow-host --cors -v
            --log --help' -- "$cur"))
        return
    fi
    if [ "${COMP_WORDS[1]}" = panel ] && [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W '--endpoint --region --profile --table --view --projector --theme
            --help' -- "$cur"))
        return
    fi
    case $cur in
    -*)
        COMPREPLY=($(compgen -W '--memory --durable --endpoint --region --profile -c -f --mode -q
            --no-init --keep-going --yes --version --help' -- "$cur"))
        return
        ;;
    esac
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -d -- "$cur"))
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY+=($(compgen -W 'serve panel repair' -- "$cur"))
    fi
}
complete -F _pksk pksk
