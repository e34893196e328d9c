internal import AdminAPI
internal import Configuration
internal import POSIX

/// A command's options and operand, checked against its declaration.
struct Arguments {
    private(set) var operand: String?
    private(set) var wantsHelp = false
    let command: Command
    /// The values by option name; a switch has an empty list.
    private var values: [String: [String]] = [:]

    /// Parses the words after the command's name: `--name VALUE`, `--name=VALUE`, `--switch`, and the operand; no options
    /// come after `--`. Does not read standard input.
    init(_ words: [String], for command: Command) throws(CommandError) {
        self.command = command
        var rest = words[...]
        var (takesOptions, isAfterValue) = (true, false)
        var surplus: (word: String, isAfterValue: Bool)?
        while let word = rest.popFirst() {
            var takesValue = false
            if takesOptions, word == "--" {
                takesOptions = false
            } else if takesOptions, Self.isHelp(word) {
                wantsHelp = true
            } else if takesOptions, word.utf8.starts(with: "-".utf8) {
                takesValue = try readOption(word, &rest)
            } else if takesOptions, let mistake = longDash(word) {
                throw mistake
            } else if let expected = command.operand, operand == nil {
                try Self.refuseKey(word, as: expected.value.placeholder)
                operand = word
            } else {
                surplus = surplus ?? (word, isAfterValue)
            }
            isAfterValue = takesValue
        }
        if wantsHelp { return }
        if let surplus { throw tooMany(surplus.word, isAfterValue: surplus.isAfterValue) }
        try requireAll()
        try checkValues()
    }

    static func isHelp(_ word: String) -> Bool { word == "--help" || word == "-h" }

    subscript(name: String) -> String? { all(name).first }

    /// The values of a repeatable option, in order.
    func all(_ name: String) -> [String] {
        precondition(command.options.contains { $0.name == name }, "--\(name) is not declared")
        return values[name] ?? []
    }

    func required(_ name: String) -> String {
        guard let value = self[name] else { preconditionFailure("--\(name) is not declared as required") }
        return value
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// The value of an option that is declared as a number; the type must hold its range.
    func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
        self[name].flatMap { UInt64($0) }.map { Number($0) }
    }

    /// The author of the change, of a command that declares `Option.author`.
    func author() throws(CommandError) -> String {
        guard let name = self[Option.author.name] else {
            let user = POSIX.Process.user
            return PlainName.resembling(Machine.knownUserName(user) ?? Machine.userName(user))
        }
        guard PlainName.accepts(name) else { throw .usage("--author: expected \(PlainName.expectation)") }
        return name
    }

    /// Builds an operator's action from the options; an error names the option.
    func action<Action>(_ make: () throws(AdminProblem) -> Action) throws(CommandError) -> Action {
        try explaining(make) { .problem($0, in: command) }
    }

    /// Refuses a security key in a place whose text would be printed.
    static func refuseKey(_ text: String, as place: String) throws(CommandError) {
        if text.utf8.starts(with: "dgk1.".utf8) { throw .usage("\(place) is a security key; ask about one with: deskgate explain --key -") }
    }

    /// Replaces the option's secret that is given as `-` (at most one) by the content of standard input.
    mutating func readSecrets() throws(CommandError) {
        var input = SecretInput()
        for option in command.options where option.value?.isSecret == true && self[option.name] == SecretInput.mark {
            values[option.name] = [try input.read(for: "--\(option.name)")]
        }
    }

    /// - Returns: whether the option takes a value, which then ends here.
    private mutating func readOption(_ word: String, _ rest: inout ArraySlice<String>) throws(CommandError) -> Bool {
        // Split as bytes: `=` with a combining mark after it is a different Character.
        let parts = word.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
        guard let option = command.options.first(where: { "--\($0.name)".utf8.elementsEqual(parts[0].utf8) }) else {
            throw unknownOption(parts[0])
        }
        let name = option.name
        guard !has(name) || option.isRepeatable else { throw .option(name, "given twice") }
        guard let value = option.value else {
            guard parts.count == 1 else { throw .option(name, "takes no value") }
            values[name] = []
            return false
        }
        let next = parts.count == 2 ? parts[1] : rest.popFirst()
        guard let given = next, parts.count == 2 || !given.utf8.starts(with: "--".utf8) else {
            throw Self.missingValue(of: option, before: next)
        }
        if value.isPath { try Self.refuseKey(given, as: "--\(name)") }
        values[name, default: []].append(given)
        return true
    }

    private func requireAll() throws(CommandError) {
        for option in command.options where option.isRequired && !has(option.name) {
            throw .usage("\(option.spelling) is missing")
        }
        if let expected = command.operand, expected.isRequired, operand == nil {
            throw .usage("\(expected.value.placeholder) is missing")
        }
    }

    private func checkValues() throws(CommandError) {
        for option in command.options {
            for text in values[option.name] ?? [] {
                if let problem = option.value?.problem(of: text) { throw .option(option.name, problem) }
            }
        }
        guard let expected = command.operand?.value, let operand, let problem = expected.problem(of: operand) else { return }
        throw .usage("\(expected.placeholder): \(problem)")
    }
}

/// Reads a secret from standard input, where neither the process list nor the shell history shows it.
struct SecretInput {
    /// The word for standard input in a command line.
    static let mark = "-"
    /// The end of the help text of each value that can be read this way.
    static let help = "; - reads it from standard input"
    private static let limit = 64 << 10

    private var isUsed = false

    /// Reads the single line of standard input.
    /// - Parameter place: the option that it is for, as shown in messages.
    /// - Throws: when standard input is empty, has more than one line, or was read before.
    mutating func read(for place: String) throws(CommandError) -> String {
        guard !isUsed else { throw .usage("\(place): standard input is taken already; only one secret can come from there") }
        isUsed = true
        let text = try Self.text(for: place)
        let lines = text.utf8.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "\n") }
        let isOneLine = lines.count == 1 || lines.count == 2 && lines[1].isEmpty
        var line = lines[0]
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        guard isOneLine, !line.isEmpty else {
            throw .usage("\(place): expected one non-empty line on standard input")
        }
        return String(Substring(line))
    }

    private static func text(for place: String) throws(CommandError) -> String {
        let bytes = try explaining { () throws(SystemError) in
            try File.readStandardInput(limit: limit)
        } as: {
            .usage("\(place): cannot read standard input: \($0)")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage("\(place): standard input is not UTF-8")
        }
        return text
    }
}
