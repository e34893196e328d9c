/// The completions of bash, generated from the table of commands.
enum BashCompletions {
    /// The script for bash 4 and later; it needs no package `bash-completion`.
    static var script: String {
        """
        # Completions of deskgate for bash, made by: deskgate completions bash
        _deskgate() {
            local IFS=$' \\t\\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
            local start=1 command= options= operand= value= words= word
            COMPREPLY=()
            # --option=value comes as three words.
            if [[ $current == = ]]; then
                current=
            elif [[ $previous == = ]]; then
                previous=${COMP_WORDS[COMP_CWORD-2]}
            fi
            if [[ ${COMP_WORDS[1]} == help ]] && (( COMP_CWORD > 1 )); then start=2; fi
            if (( COMP_CWORD == start )); then
                words=\(quoted(CommandTable.words(after: []).map(\.word)))
                if (( start == 1 )); then words+=' help --help --version'; fi
            else
                command=${COMP_WORDS[start]}
        \((1..<CommandTable.maximumWords).map(families).joined(separator: "\n"))
            fi
            if (( start == 1 )); then
                case $command in
        \(CommandTable.commands.map(options).joined(separator: "\n"))
                esac
                if [[ -z $value && $current != -* ]]; then value=$operand; fi
                if [[ -z $value ]]; then words+=$options; fi
            fi
            case $value in
            files | directory)
                mapfile -t COMPREPLY < <(compgen -A "${value/files/file}" -- "$current")
                compopt -o filenames 2>/dev/null ;;
            apps | notifiers) words=$(_deskgate_names "$value") ;;
            words:*) words=${value#words:} ;;
            esac
            for word in $words; do
                if [[ $word == "$current"* ]]; then COMPREPLY+=("$word"); fi
            done
        }
        # The app ids or notifiers of the configuration that the command line names.
        _deskgate_names() {
            local i file=
            for (( i = 1; i < COMP_CWORD; i++ )); do
                if [[ ${COMP_WORDS[i]} == --config ]]; then
                    file=${COMP_WORDS[i+1]}
                    if [[ $file == = ]]; then file=${COMP_WORDS[i+2]}; fi
                fi
            done
            file=${file/#\\~\\//$HOME/}
            command deskgate completions "$1" ${file:+"--config=$file"} 2>/dev/null
        }
        complete -F _deskgate deskgate
        """
    }

    /// For prefixes of commands: the words that can follow, or the longer name.
    private static func families(of count: Int) -> String {
        let cases = CommandTable.beginnings(of: count).map { beginning in
            """
                    \(quoted(beginning)))
                        if (( COMP_CWORD == start + \(count) )); then
                            words=\(quoted(CommandTable.words(after: beginning).map(\.word))) command=
                        else
                            command+=" ${COMP_WORDS[start+\(count)]}"
                        fi ;;
            """
        }
        return "        case $command in\n\(cases.joined(separator: "\n"))\n        esac"
    }

    /// For a command: its options and the kinds of their values.
    private static func options(of command: Command) -> String {
        let options = command.options + [.help]
        let values = options.compactMap { option in
            option.value.map { "            --\(option.name)) value=\(kind(of: $0) ?? "none") ;;" }
        }
        let operand = (command.operand?.value).flatMap(kind).map { " operand=\($0)" } ?? ""
        return """
                    '\(command.name)')
                        options=\(quoted(options.map { "--\($0.name)" }))\(operand)
                        case $previous in
            \(values.joined(separator: "\n"))
                        esac ;;
            """
    }

    /// Returns the completion of values; nil when there is none.
    private static func kind(of value: Value) -> String? {
        switch value {
        case .app: "apps"
        case .notifier: "notifiers"
        case .file: "files"
        case .directory: "directory"
        case .choice(let words, _): quoted(["words:\(words.joined(separator: " "))"])
        case .text, .secret, .number, .lifetime, .time: nil
        }
    }

    private static func quoted(_ words: [String]) -> String { "'\(words.joined(separator: " "))'" }
}
