internal import Configuration
internal import Service

/// What is said of a line that begins with no command.
enum UnknownCommand {
    /// What is wrong, and what helps.
    static func describe(_ words: [String]) -> (complaint: String, remedy: String) {
        let typed = Array(words.prefix { !$0.hasPrefix("-") })
        guard let first = typed.first else {
            guard let stray = words.first else { return ("a command is missing", Help.overview(nil)) }
            return ("the command comes first, before its options" + Console.mention([stray]), more)
        }
        let complaint = "unknown command" + Console.mention(typed.prefix(2))
        if let nearest = nearest(to: typed) { return ("\(complaint); did you mean \(nearest)?", more) }
        return (complaint, Help.overview(first))
    }

    private static let more = "All commands: deskgate --help"

    /// The commands that may have been meant: by a slip of the keys, or by their second word alone.
    private static func nearest(to words: [String]) -> String? {
        let names = Deskgate.commands.map { $0.name }
        let sameEnd = names.filter { $0.hasSuffix(" \(words[0])") }
        if !sameEnd.isEmpty { return sameEnd.joined(separator: " or ") }
        let typed = words.prefix(2).joined(separator: " ").lowercased()
        return NearestWord.nearest(to: typed, in: names) ?? NearestWord.nearest(to: words[0].lowercased(), in: names)
    }
}
