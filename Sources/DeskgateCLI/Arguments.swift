/// A command's options and operand, checked against what it takes.
struct Arguments {
    private(set) var operand: String?
    private(set) var wantsHelp = false
    private var values: [String: [String]] = [:]
    private var switches: Set<String> = []

    init() {}

    /// Reads the words after the command's own: `--name VALUE`, `--name=VALUE`, `--switch`, and the operand.
    init(_ words: [String], for command: any Command.Type) throws(UsageError) {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--help" {
                wantsHelp = true
            } else if word.utf8.starts(with: "-".utf8), word != SecretInput.mark {
                try readOption(word, &rest, command)
            } else {
                // The word itself may be a secret in the wrong place, so it is not repeated.
                guard let expected = command.operand, operand == nil else { throw UsageError(message: "an argument too many") }
                if expected.name != "KEY" { try Self.refuseKey(word, as: expected.name) }
                operand = word
            }
        }
        guard !wantsHelp else { return }
        try requireAll(of: command)
        try readSecrets(of: command)
    }

    /// The value of an option.
    subscript(name: String) -> String? { values[name]?.first }

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
    func number(_ name: String, in range: ClosedRange<UInt64>) throws(UsageError) -> UInt64? {
        guard let text = self[name] else { return nil }
        guard let number = UInt64(text), range.contains(number) else {
            throw UsageError(message: "--\(name): expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private mutating func readOption(
        _ word: String, _ rest: inout ArraySlice<String>, _ command: any Command.Type
    ) throws(UsageError) {
        // Split as bytes: with a combining mark after it, `=` is another Character.
        let parts = word.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard let option = command.options.first(where: { "--\($0.name)".utf8.elementsEqual(parts[0].utf8) }) else {
            throw UsageError(message: "unknown option" + Console.mention([parts[0]]))
        }
        let name = option.name
        guard values[name] == nil || option.isRepeatable, !switches.contains(name) else {
            throw UsageError(message: "--\(name) is given twice")
        }
        guard let value = option.value else {
            guard parts.count == 1 else { throw UsageError(message: "--\(name) takes no value") }
            switches.insert(name)
            return
        }
        guard let given = parts.count == 2 ? parts[1] : rest.popFirst() else {
            throw UsageError(message: "--\(name) needs a value: --\(name) \(value)")
        }
        if name == Option.config.name { try Self.refuseKey(given, as: "--\(name)") }
        values[name, default: []].append(given)
    }

    /// Refuses a security key where its text would be shown as a file's name.
    static func refuseKey(_ text: String, as place: String) throws(UsageError) {
        if text.utf8.starts(with: "dgk1.".utf8) { throw UsageError(message: "\(place) is a security key") }
    }

    /// Puts what standard input holds in the place of the one secret that is given as `-`.
    private mutating func readSecrets(of command: any Command.Type) throws(UsageError) {
        var input = SecretInput()
        for option in command.options where option.isSecret && self[option.name] == SecretInput.mark {
            values[option.name] = [try input.read(for: "--\(option.name)")]
        }
        if let expected = command.operand, expected.isSecret, operand == SecretInput.mark { operand = try input.read(for: expected.name) }
    }

    private func requireAll(of command: any Command.Type) throws(UsageError) {
        for option in command.options where option.isRequired && values[option.name] == nil {
            throw UsageError(message: "--\(option.name) \(option.value ?? "") is missing")
        }
        if let expected = command.operand, expected.isRequired, operand == nil {
            throw UsageError(message: "\(expected.name) is missing")
        }
    }
}
