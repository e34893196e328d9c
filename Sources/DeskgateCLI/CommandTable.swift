internal import Configuration

/// The table of all commands.
enum CommandTable {
    /// In the order of the overview, under its headings.
    static let groups: [(title: String, commands: [Command])] = [
        (
            "Set up and serve",
            [DemoCommand.command, InitCommand.command, ServeCommand.command, CheckCommand.command, ConfigShowCommand.command]
        ),
        ("See how it is", [DoctorCommand.command, StatusCommands.status, StatusCommands.health, ExplainCommand.command]),
        (
            "Keys and secrets",
            [KeyCommands.mint, KeyCommands.verify, KeyCommands.inspect, SecretCommand.new, SecretRotateCommand.command]
        ),
        (
            "Deliveries and devices",
            [
                DeliveriesCommands.list, DeliveriesCommands.show, DeliveriesCommands.retry, DeliveriesCommands.purge, TokensCommands.list,
                TokensCommands.remove,
            ]
        ),
        (
            "Users and revocations",
            [
                ShowCommand.show, UsersCommands.signOut, UsersCommands.block, UsersCommands.unblock, ForgetCommand.forget,
                RevokeCommands.revoke, RevokeCommands.list, RevokeCommands.remove,
            ]
        ),
        (
            "Tickets",
            [
                TicketsCommands.create, TicketsCommands.show, TicketsCommands.list, TicketsCommands.count, TicketsCommands.close,
                TicketsCommands.reopen, TicketsCommands.priority, TicketsCommands.fields,
            ]
        ),
        (
            "Store",
            [StoreCommands.migrate, StoreCommands.status, StoreCommands.backup, StoreCommands.restore, StoreCopyCommand.command]
        ),
        (
            "Tests and tools",
            [
                PushTestCommand.command, OperatorsTestCommand.command, WebhookVerifyCommand.command, SimulateCommand.command,
                CompletionsCommand.command,
                ManualCommand.command, StatusCommands.version,
            ]
        ),
    ]

    /// All of them, in that order.
    static let commands = groups.flatMap(\.commands)

    /// The first words of the commands' names, each once.
    static var firstWords: [String] {
        var words: [String] = []
        for word in commands.map({ $0.words[0] }) where !words.contains(word) { words.append(word) }
        return words
    }

    /// The commands of two words that begin with this word; empty for a word that is a command itself.
    static func family(_ word: String) -> [Command] { commands.filter { $0.words.count == 2 && $0.words[0] == word } }

    /// Finds the command whose name begins a command line; `key mint` has two words.
    /// - Returns: the command, and the words after its name.
    static func find(_ words: [String]) -> (command: Command, rest: [String])? {
        for command in commands where words.starts(with: command.words) {
            return (command, Array(words.dropFirst(command.words.count)))
        }
        return nil
    }

    /// Explains a command line that begins with no known command, and suggests a remedy.
    static func describeUnknown(_ words: [String]) -> (complaint: String, remedy: String) {
        let more = "All commands: deskgate --help"
        let typed = Array(words.prefix { !$0.hasPrefix("-") })
        guard let first = typed.first else {
            guard let stray = words.first else { return ("a command is missing", Help.overview(nil)) }
            return ("the command comes first, before its options" + Console.mention([stray]), more)
        }
        let complaint = "unknown command" + Console.mention(typed.prefix(2))
        if let nearest = nearest(to: typed) { return ("\(complaint); did you mean \(nearest)?", more) }
        return (complaint, Help.overview(first))
    }

    /// A similar command: the words have a typing error, or the first word is missing.
    private static func nearest(to words: [String]) -> String? {
        let names = commands.map(\.name)
        let sameEnd = names.filter { $0.hasSuffix(" \(words[0])") }
        if !sameEnd.isEmpty { return sameEnd.joined(separator: " or ") }
        let typed = words.prefix(2).joined(separator: " ").lowercased()
        return NearestWord.nearest(to: typed, in: names) ?? NearestWord.nearest(to: words[0].lowercased(), in: names)
    }
}
