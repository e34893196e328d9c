/// The meaning of a command line. Parsing reads no file and prints nothing.
enum ParsedCommandLine {
    case run(Command, Arguments)
    case show(String)
    /// The command line is invalid. `text` is for people, the error for `--json`.
    case refuse(text: String, CommandError)

    /// Words in place of a command that mean `deskgate version`, as for most programs.
    static let versionMarks = ["--version", "-v"]

    /// Whether the words contain `--json`, even when they are invalid. No options come after `--`.
    static func isForJSON(_ words: [String]) -> Bool { words.prefix { $0 != "--" }.contains("--\(Option.json.name)") }

    init(_ words: [String]) {
        let asksForVersion = words.first.map(Self.versionMarks.contains) == true
        let words = asksForVersion ? StatusCommands.version.words + words.dropFirst() : words
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
        return .refuse(text: "deskgate: \(complaint)\(remedy)", .usage(complaint))
    }
}
