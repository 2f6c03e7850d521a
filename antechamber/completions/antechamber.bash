# Made by `make docs` from the parsers of the commands.
_antechamber() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words=""
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "serve fault clock requests groups connections wait sessions transactions explain export wheel record analyze doctor completion help --help --version" -- "$word"))
        return
    fi
    case "${COMP_WORDS[1]} $before" in
        "serve --host") :; return ;;
        "serve --port") :; return ;;
        "serve --advertise") :; return ;;
        "serve --brokers") :; return ;;
        "serve --admin-host") :; return ;;
        "serve --admin-port") :; return ;;
        "serve --admin-protocol") COMPREPLY=($(compgen -W "http https" -- "$word")); return ;;
        "serve --admin-token") :; return ;;
        "serve --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "serve --admin-read-only-token") :; return ;;
        "serve --admin-read-only-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "serve --data-dir") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "serve -c" | "serve --config") :; return ;;
        "serve --properties") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "serve --topic") :; return ;;
        "serve --user") :; return ;;
        "serve --add-scram") :; return ;;
        "serve --records") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "serve --records-topic") :; return ;;
        "serve --ready-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "fault --admin") :; return ;;
        "fault --admin-token") :; return ;;
        "fault --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "fault --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "clock --admin") :; return ;;
        "clock --admin-token") :; return ;;
        "clock --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "clock --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "clock --speed") :; return ;;
        "clock --to") COMPREPLY=($(compgen -W "timer session transaction parked retention" -- "$word")); return ;;
        "clock --member") :; return ;;
        "clock --group") :; return ;;
        "clock --transactional-id") :; return ;;
        "clock --api") :; return ;;
        "clock --client") :; return ;;
        "clock --correlation") :; return ;;
        "clock --topic") :; return ;;
        "clock --partition") :; return ;;
        "requests --admin") :; return ;;
        "requests --admin-token") :; return ;;
        "requests --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "requests --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "requests --api") :; return ;;
        "requests --topic") :; return ;;
        "requests --client") :; return ;;
        "requests --limit") :; return ;;
        "groups --admin") :; return ;;
        "groups --admin-token") :; return ;;
        "groups --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "groups --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "groups --group") :; return ;;
        "groups --limit") :; return ;;
        "connections --admin") :; return ;;
        "connections --admin-token") :; return ;;
        "connections --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "connections --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "connections --client") :; return ;;
        "connections --limit") :; return ;;
        "wait --admin") :; return ;;
        "wait --admin-token") :; return ;;
        "wait --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "wait --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "wait --group") :; return ;;
        "wait --topic") :; return ;;
        "wait --partition") :; return ;;
        "wait --members") :; return ;;
        "wait --partitions") :; return ;;
        "wait --offset") :; return ;;
        "wait --lag") :; return ;;
        "wait --api") :; return ;;
        "wait --client") :; return ;;
        "wait --since") :; return ;;
        "wait --count") :; return ;;
        "wait --rule") :; return ;;
        "wait --timeout") :; return ;;
        "sessions --admin") :; return ;;
        "sessions --admin-token") :; return ;;
        "sessions --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "sessions --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "sessions --group") :; return ;;
        "sessions --limit") :; return ;;
        "transactions --admin") :; return ;;
        "transactions --admin-token") :; return ;;
        "transactions --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "transactions --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "transactions --limit") :; return ;;
        "transactions --topic") :; return ;;
        "transactions --partition") :; return ;;
        "transactions --producer-id") :; return ;;
        "explain --admin") :; return ;;
        "explain --admin-token") :; return ;;
        "explain --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "explain --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "explain --client") :; return ;;
        "explain --correlation") :; return ;;
        "explain --api") :; return ;;
        "explain --topic") :; return ;;
        "export --admin") :; return ;;
        "export --admin-token") :; return ;;
        "export --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "export --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "export --perfetto") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "wheel --admin") :; return ;;
        "wheel --admin-token") :; return ;;
        "wheel --admin-token-file") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "wheel --admin-ca") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "wheel --timer") :; return ;;
        "wheel --node") :; return ;;
        "wheel --of") :; return ;;
        "wheel --cancel") :; return ;;
        "wheel --from") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "record --upstream") :; return ;;
        "record --host") :; return ;;
        "record --port") :; return ;;
        "record --records") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "analyze --compare") :; return ;;
        "analyze --out") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "analyze --report") COMPREPLY=($(compgen -f -- "$word")); return ;;
        "analyze --window") :; return ;;
        "analyze --master") :; return ;;
        "analyze --conf") :; return ;;
    esac
    case "${COMP_WORDS[1]}" in
        serve) words="--host --port --advertise --brokers --admin-host --admin-port --admin-protocol --admin-token --admin-token-file --admin-read-only-token --admin-read-only-token-file --data-dir -c --config --properties --tls --topic --user --add-scram --record --records --records-topic --ready-file --stop-with-stdin --quiet -v --verbose --list-keys --help" ;;
        fault) words="--admin --admin-token --admin-token-file --admin-ca pause resume stop start --help" ;;
        clock) words="--admin --admin-token --admin-token-file --admin-ca show freeze run advance --speed --to --member --group --transactional-id --api --client --correlation --topic --partition --json --help" ;;
        requests) words="--admin --admin-token --admin-token-file --admin-ca --mark --parked --follow --json --api --topic --client --limit --followers --help" ;;
        groups) words="--admin --admin-token --admin-token-file --admin-ca --group --json --limit --help" ;;
        connections) words="--admin --admin-token --admin-token-file --admin-ca --client --followers --json --limit --help" ;;
        wait) words="--admin --admin-token --admin-token-file --admin-ca assigned committed group-stable topic topic-deleted hw lso isr client-connected client-gone parked requests fault-fired --group --topic --partition --members --partitions --offset --lag --api --client --since --count --rule --timeout --json --help" ;;
        sessions) words="--admin --admin-token --admin-token-file --admin-ca --group --json --limit --help" ;;
        transactions) words="--admin --admin-token --admin-token-file --admin-ca list abort --hanging --json --limit --topic --partition --producer-id --help" ;;
        explain) words="--admin --admin-token --admin-token-file --admin-ca --client --correlation --api --topic --json --help" ;;
        export) words="--admin --admin-token --admin-token-file --admin-ca --perfetto --help" ;;
        wheel) words="--admin --admin-token --admin-token-file --admin-ca --follow --timer --node --of --cancel --from --json --help" ;;
        record) words="--upstream --host --port --records --help" ;;
        analyze) words="--compare --out --report --window --catch-up --follow --master --conf --verbose --check --help" ;;
        doctor) words="--help" ;;
        completion) words="bash fish zsh --help" ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _antechamber antechamber
