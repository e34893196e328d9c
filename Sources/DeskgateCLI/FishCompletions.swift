/// The completions of fish, generated from the table of commands.
enum FishCompletions {
    /// The script for fish 3 and later.
    static var script: String {
        let words =
            (0..<CommandTable.maximumWords).flatMap(following) + [
                "complete -c deskgate -n '__deskgate_is' -a help -d 'Explains a command.'"
            ]
        return
            (head + words + CommandTable.commands.flatMap(arguments))
            .joined(separator: "\n")
    }

    private static let head = [
        """
        # Completions of deskgate for fish, made by: deskgate completions fish
        function __deskgate_is -d 'Whether the words before the cursor are these'
            set -l words (commandline -opc)
            set -e words[1]
            test "$words" = "$argv"
        end
        function __deskgate_begins -d 'Whether the words before the cursor begin with these'
            set -l words (commandline -opc)
            set -e words[1]
            set -l first $words[1..(count $argv)]
            test "$first" = "$argv"
        end
        function __deskgate_names -d 'The app ids or notifiers of the configuration that the command line names'
            set -l words (commandline -opc)
            set -l file
            if set -l place (contains -i -- --config $words)
                set file --config=(string replace -r '^~/' "$HOME/" -- $words[(math $place + 1)])
            else
                set file (string match -- '--config=*' $words)[1]
            end
            command deskgate completions $argv $file 2>/dev/null
        end
        complete -c deskgate -f
        """
    ]

    /// The words that can follow prefixes of commands.
    private static func following(_ count: Int) -> [String] {
        CommandTable.beginnings(of: count).flatMap { beginning in
            let (alone, helped) = (["__deskgate_is"] + beginning, ["__deskgate_is", "help"] + beginning)
            let condition = "\(alone.joined(separator: " ")); or \(helped.joined(separator: " "))"
            return CommandTable.words(after: beginning).map { word, text in
                "complete -c deskgate -n '\(condition)' -a \(word) -d \(quoted(text))"
            }
        }
    }

    /// For a command: its options and its operand.
    private static func arguments(of command: Command) -> [String] {
        let start = "complete -c deskgate -n '__deskgate_begins \(command.name)'"
        let options = (command.options + [.help]).map { option in
            "\(start) -l \(option.name)\(option.value.map { " -r\(candidates(for: $0) ?? " -f")" } ?? "") -d \(quoted(option.text))"
        }
        let operand = (command.operand?.value).flatMap(candidates).map { start + $0 }
        return options + (operand.map { [$0] } ?? [])
    }

    /// Returns the completion of values; nil when there is none.
    private static func candidates(for value: Value) -> String? {
        switch value {
        case .app: " -f -a '(__deskgate_names apps)'"
        case .notifier: " -f -a '(__deskgate_names notifiers)'"
        case .file: " -F"
        case .directory: " -f -a '(__fish_complete_directories)'"
        case .choice(let words, _): " -f -a '\(words.joined(separator: " "))'"
        case .text, .secret, .number, .lifetime, .time: nil
        }
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.flatMap { "\\'".contains($0) ? ["\\", $0] : [$0] } + "'"
    }
}
