internal import POSIX

/// The completions of zsh, made of the table of commands.
enum ZshCompletions {
    /// The script, to be installed as `_deskgate` in a directory of `$fpath`.
    static var script: String {
        """
        #compdef deskgate
        # Completions of deskgate for zsh, made by: deskgate completions zsh
        _deskgate() {
            local -i start=2 count=1
            local -a commands
            if [[ ${words[2]} == help ]] && (( CURRENT > 2 )); then start=3; fi
            local command=${words[start]}
            if (( CURRENT == start )); then
                commands=(
        \(described(after: []))
                )
                if (( start == 2 )); then commands+=('help:Explains a command.'); fi
                _describe -t commands command commands
                return
            fi
        \((1..<CommandTable.maximumWords).map(families).joined(separator: "\n"))
            if (( start == 3 )); then return 1; fi
            shift $count words
            (( CURRENT -= count ))
            case $command in
        \(CommandTable.commands.map(arguments).joined(separator: "\n"))
            *) return 1 ;;
            esac
        }
        # The app ids or notifiers of the configuration that the command line names.
        _deskgate_names() {
            local -a names file
            local -i place=${words[(I)--config]}
            if (( place )); then
                file=("--config=${~${(Q)words[place+1]}}")
            else
                file=(${${(M)words:#--config=*}[1]})
            fi
            names=(${(f)"$(_call_program names deskgate completions ${@[-1]} ${(q)file} 2>/dev/null)"})
            compadd "${@[1,-2]}" -a names
        }
        if [[ ${funcstack[1]} == _deskgate ]]; then _deskgate "$@"; else compdef _deskgate deskgate; fi
        """
    }

    /// For the beginnings of so many words: the words that follow, or the longer name.
    private static func families(of count: Int) -> String {
        let cases = CommandTable.beginnings(of: count).map { beginning in
            """
                \(ShellWord.inQuotes(beginning.joined(separator: " "))))
                    commands=(
            \(described(after: beginning))
                    ) ;;
            """
        }
        return """
                commands=()
                case $command in
            \(cases.joined(separator: "\n"))
                esac
                if (( ${#commands} )); then
                    if (( CURRENT == start + \(count) )); then
                        _describe -t commands command commands
                        return
                    fi
                    command+=" ${words[start+\(count)]}"
                    count=\(count + 1)
                fi
            """
    }

    /// The words that follow a beginning, with what each is for.
    private static func described(after beginning: [String]) -> String {
        CommandTable.words(after: beginning).map { "            \(ShellWord.inQuotes("\($0.word):\($0.text)"))" }.joined(separator: "\n")
    }

    /// For a command: its arguments, as `_arguments` reads them.
    private static func arguments(of command: Command) -> String {
        var specifications = command.options.map { option in
            let start = "\(option.isRepeatable ? "*" : "")--\(option.name)"
            guard let value = option.value else { return ShellWord.inQuotes("\(start)[\(escaped(option.text))]") }
            return ShellWord.inQuotes("\(start)=[\(escaped(option.text))]:\(value.placeholder):\(action(for: value))")
        }
        specifications.append(ShellWord.inQuotes("(-h --help)--help[\(escaped(Option.help.text))]"))
        if let operand = command.operand {
            let colons = operand.isRequired ? ":" : "::"
            specifications.append(ShellWord.inQuotes("\(colons)\(operand.value.placeholder):\(action(for: operand.value))"))
        }
        return """
                '\(command.name)')
                    _arguments \(specifications.joined(separator: " \\\n            ")) ;;
            """
    }

    private static func action(for value: Value) -> String {
        switch value {
        case .app: "_deskgate_names apps"
        case .notifier: "_deskgate_names notifiers"
        case .file: "_files"
        case .directory: "_files -/"
        case .choice(let words, _): "(\(words.joined(separator: " ")))"
        case .text, .secret, .number, .lifetime, .time: " "
        }
    }

    /// A text within the brackets of a specification.
    private static func escaped(_ text: String) -> String {
        String(text.flatMap { "\\[]:".contains($0) ? ["\\", $0] : [$0] })
    }
}
