/// What a command line asks for, before anything is read or done.
enum ParsedCommandLine {
    case run(Command, Arguments)
    /// A help text.
    case show(String)
    /// It is wrong: what people are told, and what `--json` says.
    case refuse(text: String, CommandError)

    /// Whether words have a wish for JSON among them, even when they are wrong.
    static func isForJSON(_ words: [String]) -> Bool { words.contains("--\(Option.json.name)") }

    /// Finds the command and checks its arguments.
    init(_ words: [String]) {
        let words = words == ["--version"] ? StatusCommands.version.words : words
        guard let (command, rest) = CommandTable.find(words) else {
            self = Self.withoutCommand(words)
            return
        }
        do throws(CommandError) {
            let arguments = try Arguments(rest, for: command)
            self = arguments.wantsHelp ? .show(Help.text(of: command)) : .run(command, arguments)
        } catch {
            self = .refuse(text: error.text(command), error)
        }
    }

    private static func withoutCommand(_ words: [String]) -> ParsedCommandLine {
        if words.first == "help" || words.contains(where: Arguments.isHelp) {
            let topic = words.filter { !$0.hasPrefix("-") && $0 != "help" }
            return .show(CommandTable.find(topic).map { Help.text(of: $0.command) } ?? Help.overview(topic.first))
        }
        let (complaint, remedy) = CommandTable.describeUnknown(words)
        return .refuse(text: "deskgate: \(complaint)\n\n\(remedy)", .usage(complaint))
    }
}
