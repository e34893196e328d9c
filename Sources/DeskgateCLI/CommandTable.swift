internal import Configuration

enum CommandTable {
    /// The commands by heading, in the order of the overview.
    static let groups: [(title: String, commands: [Command])] = [
        (
            "Set up and serve",
            [
                DemoCommand.command, InitCommand.command, ServeCommand.command, ReloadCommand.command, CheckCommand.command,
                ConfigShowCommand.command, ConfigSchemaCommand.command,
            ]
        ),
        (
            "Check the state",
            [DoctorCommand.command, StatusCommands.status, StatusCommands.health, ExplainCommand.command, FindCommand.command]
        ),
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
                ShowCommand.show, UsersCommands.signOut, UsersCommands.block, UsersCommands.unblock, SeenCommand.seen, ForgetCommand.forget,
                RevokeCommands.revoke, RevokeCommands.list, RevokeCommands.remove,
            ]
        ),
        (
            "Tickets",
            [
                TicketsCommands.create, TicketsCommands.show, TicketsCommands.list, TicketsCommands.count, TicketsCommands.close,
                TicketsCommands.reopen, TicketsCommands.priority, TicketsCommands.relate, TicketsCommands.fields,
            ]
        ),
        ("Bots", [BotDemoCommand.command, BotsCommands.list, BotsCommands.show]),
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

    static let commands = groups.flatMap(\.commands)

    /// Returns the possible next words of command names that begin with `beginning`, without duplicates. Each has a text: the summary of
    /// the command, or the words that follow. Empty for a complete name.
    static func words(after beginning: [String]) -> [(word: String, text: String)] {
        var found: [(word: String, text: String)] = []
        for command in commands where command.words.count > beginning.count && command.words.starts(with: beginning) {
            let word = command.words[beginning.count]
            guard !found.contains(where: { $0.word == word }) else { continue }
            let name = beginning + [word]
            let text = command.words == name ? command.summary : words(after: name).map(\.word).joined(separator: ", ")
            found.append((word, text))
        }
        return found
    }

    /// Returns the incomplete command names of the given number of words.
    static func beginnings(of count: Int) -> [[String]] {
        var found: [[String]] = []
        for command in commands where command.words.count > count {
            let beginning = Array(command.words.prefix(count))
            if !found.contains(beginning) { found.append(beginning) }
        }
        return found
    }

    /// The number of words of the longest name.
    static let maximumWords = commands.map(\.words.count).max() ?? 1

    /// Finds the command whose name begins a command line. A name may have several words, as in `key mint`.
    /// - Returns: the command, and the words after its name.
    static func find(_ words: [String]) -> (command: Command, rest: [String])? {
        for command in commands where words.starts(with: command.words) {
            return (command, Array(words.dropFirst(command.words.count)))
        }
        return nil
    }

    /// Returns the error for a command line that begins with no known command, and suggests a remedy.
    static func describeUnknown(_ words: [String]) -> (complaint: String, remedy: String) {
        let all = "deskgate --help lists the commands"
        let typed = Array(words.prefix { !$0.hasPrefix("-") })
        guard !typed.isEmpty else {
            guard let stray = words.first else { return ("a command is missing", "; \(all)") }
            return ("the command comes first, before its options" + Console.mention([stray]), "; \(all)")
        }
        let known = typed.prefix(knownCount(typed))
        let complaint = "unknown command" + Console.mention(typed.prefix(max(2, known.count + 1)))
        if known.count < typed.count, let nearest = nearest(to: typed, in: Array(known)) {
            return ("\(complaint); did you mean \(nearest)?", " \(all)")
        }
        let remark = remarks[typed[0]].map { "; \($0)" } ?? ""
        guard !known.isEmpty else { return (complaint + remark, "; \(all)") }
        let group = known.joined(separator: " ")
        let following = Value.alternatives(self.words(after: Array(known)).map(\.word))
        let start = known.count == typed.count ? "unfinished command: \(group)" : complaint
        return ("\(start); \(group) continues with \(following)\(remark)", "; deskgate \(known[0]) --help lists the commands")
    }

    /// Hints for commands of other programs, by the first word.
    private static let remarks = [
        "config": "to change a key, edit the file and run deskgate reload",
        "logs": "journalctl -u deskgate shows the log",
        "restart": "systemctl restart deskgate restarts the service",
        "start": "deskgate serve serves, systemctl start deskgate starts the service",
        "stop": "systemctl stop deskgate stops the service",
    ]

    /// Returns the number of leading words that belong to a command's name.
    private static func knownCount(_ words: [String]) -> Int {
        (1..<maximumWords).last { beginnings(of: $0).contains(Array(words.prefix($0))) } ?? 0
    }

    /// Returns a similar command: a word has a typing error, the first word is missing, or there is an extra first word, as in `key
    /// revoke`.
    /// - Parameter group: the leading words that are correct. Only the words after them may have errors.
    private static func nearest(to words: [String], in group: [String]) -> String? {
        let names = commands.map(\.name)
        let sameEnd = names.filter { $0.hasSuffix(" \(words[0])") }
        if !sameEnd.isEmpty { return sameEnd.joined(separator: " or ") }
        let beginning = group.map { "\($0) " }.joined()
        let ends = names.filter { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
        let rest = words.dropFirst(group.count)
        for count in (1...maximumWords).reversed() {
            let typed = rest.prefix(count).joined(separator: " ")
            // Three typed words are compared only with names of three words, because the last word is often an operand.
            let known = count == maximumWords ? ends.filter { $0.split(separator: " ").count == count } : ends
            if let end = NearestWord.nearest(to: typed, in: known) { return beginning + end }
        }
        return words.dropFirst().first.flatMap { names.contains($0) ? $0 : nil }
    }
}
