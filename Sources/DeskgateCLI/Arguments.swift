internal import Configuration
internal import Service

/// A command's options and operand, checked against what it declares.
struct Arguments {
    private(set) var operand: String?
    private(set) var wantsHelp = false
    private var declared: Set<String> = []
    private var values: [String: [String]] = [:]
    private var switches: Set<String> = []

    init() {}

    /// Reads the words after the command's own: `--name VALUE`, `--name=VALUE`, `--switch`, and the operand.
    init(_ words: [String], for command: any Command.Type) throws(CommandError) {
        declared = Set(command.options.map(\.name))
        var rest = words[...]
        while let word = rest.popFirst() {
            if Self.isHelp(word) {
                wantsHelp = true
            } else if word.utf8.starts(with: "-".utf8), word != SecretInput.mark || command.operand?.isSecret != true {
                try readOption(word, &rest, command)
            } else {
                // The word itself may be a secret in the wrong place, so it is not repeated.
                guard let expected = command.operand, operand == nil else { throw .usage("an argument too many") }
                if !expected.isSecret { try Self.refuseKey(word, as: expected.name) }
                operand = word
            }
        }
        if wantsHelp { return }
        try requireAll(of: command)
        try readSecrets(of: command)
    }

    /// Whether a word asks for help.
    static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }

    /// The value of an option.
    subscript(name: String) -> String? {
        precondition(declared.contains(name), "--\(name) is not declared")
        return values[name]?.first
    }

    /// The values of an option that may be given more than once, in their order.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value of a required option.
    func required(_ name: String) -> String {
        guard let value = self[name] else { preconditionFailure("--\(name) is not declared as required") }
        return value
    }

    /// Whether a switch is given.
    func has(_ name: String) -> Bool { switches.contains(name) }

    /// The value of an option as a number.
    func number(_ name: String, in range: ClosedRange<UInt64>) throws(CommandError) -> UInt64? {
        guard let text = self[name] else { return nil }
        guard let number = UInt64(text), range.contains(number) else {
            throw .option(name, "expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private mutating func readOption(
        _ word: String, _ rest: inout ArraySlice<String>, _ command: any Command.Type
    ) throws(CommandError) {
        // Split as bytes: with a combining mark after it, `=` is another Character.
        let parts = word.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard let option = command.options.first(where: { "--\($0.name)".utf8.elementsEqual(parts[0].utf8) }) else {
            throw Self.unknownOption(parts[0], command)
        }
        let name = option.name
        guard values[name] == nil || option.isRepeatable, !switches.contains(name) else { throw .option(name, "given twice") }
        guard let value = option.value else {
            guard parts.count == 1 else { throw .option(name, "takes no value") }
            switches.insert(name)
            return
        }
        guard let given = parts.count == 2 ? parts[1] : rest.popFirst() else {
            throw .option(name, "needs a value: --\(name) \(value)")
        }
        if name == Option.config.name { try Self.refuseKey(given, as: "--\(name)") }
        values[name, default: []].append(given)
    }

    private static func unknownOption(_ word: String, _ command: any Command.Type) -> CommandError {
        let typed = word.drop { $0 == "-" }.lowercased()
        let known = (command.options + [.help]).map { $0.name }
        let nearest = typed.isEmpty ? nil : NearestWord.nearest(to: typed, in: known)
        return .usage("unknown option" + Console.mention([word]) + (nearest.map { "; did you mean --\($0)?" } ?? ""))
    }

    /// Refuses a security key where its text would be shown as a file's name.
    static func refuseKey(_ text: String, as place: String) throws(CommandError) {
        if text.utf8.starts(with: "dgk1.".utf8) { throw .usage("\(place) is a security key") }
    }

    /// Puts what standard input holds in the place of the one secret that is given as `-`.
    private mutating func readSecrets(of command: any Command.Type) throws(CommandError) {
        var input = SecretInput()
        for option in command.options where option.isSecret && self[option.name] == SecretInput.mark {
            values[option.name] = [try input.read(for: "--\(option.name)")]
        }
        if let expected = command.operand, expected.isSecret, operand == SecretInput.mark { operand = try input.read(for: expected.name) }
    }

    private func requireAll(of command: any Command.Type) throws(CommandError) {
        for option in command.options where option.isRequired && values[option.name] == nil {
            throw .usage("\(option.spelling) is missing")
        }
        if let expected = command.operand, expected.isRequired, operand == nil { throw .usage("\(expected.name) is missing") }
    }
}
