/// The completions of fish, made of the table of commands.
enum FishCompletions {
    /// The script for fish 3 and later.
    static var script: String {
        let words = CommandTable.firstWords.map(firstWord) + ["complete -c deskgate -n '__deskgate_is' -a help -d 'Explains a command.'"]
        return
            (head + words + CommandTable.commands.filter { $0.words.count == 2 }.map(secondWord) + CommandTable.commands.flatMap(arguments))
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

    private static func firstWord(_ word: String) -> String {
        let family = CommandTable.family(word)
        let text =
            family.isEmpty
            ? CommandTable.commands.first { $0.name == word }?.summary ?? "" : family.map { $0.words[1] }.joined(separator: ", ")
        return "complete -c deskgate -n '__deskgate_is; or __deskgate_is help' -a \(word) -d \(quoted(text))"
    }

    private static func secondWord(_ command: Command) -> String {
        let (first, second) = (command.words[0], command.words[1])
        return
            "complete -c deskgate -n '__deskgate_is \(first); or __deskgate_is help \(first)' -a \(second) -d \(quoted(command.summary))"
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

    /// How values are completed; nil when nobody knows them.
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
