internal import Configuration
internal import POSIX

extension Arguments {
    /// The error for a missing value. A value that begins with two hyphens is nearly always the next option.
    /// - Parameter given: the next word; nil for none.
    static func missingValue(of option: Option, before given: String?) -> CommandError {
        let meant = given.map { "; if \(isShort($0) ? $0 : "that") is the value: --\(option.name)=\(isShort($0) ? $0 : "VALUE")" }
        return .option(option.name, "needs a value: \(option.spelling)" + (meant ?? ""))
    }

    /// The error for an unknown option, or for an operand that begins with one hyphen.
    func unknownOption(_ word: String) -> CommandError {
        let nearest = nearest(to: word, among: command.options.filter { !has($0.name) || $0.isRepeatable })
        return .usage("unknown option" + Console.mention([word]) + (nearest.map { "; did you mean --\($0)?" } ?? operandHint(word)))
    }

    /// Describes the operand, after an option that may have been meant for it.
    private func operandHint(_ word: String) -> String {
        guard let expected = command.operand else { return "" }
        if !word.hasPrefix("--") { return "; \(expected.value.placeholder) that begins with - comes after --" }
        return expected.isRequired && operand == nil ? "; \(expected.value.placeholder) is given without an option" : ""
    }

    /// The error for a surplus word: it suggests the option whose value the word probably is.
    /// - Parameter isAfterValue: whether the word before it is the value of an option.
    func tooMany(_ word: String, isAfterValue: Bool) -> CommandError {
        // An address may contain a password.
        if word.contains("://"), command.options.contains(where: { $0.name == Option.config.name }) {
            let address = word.hasPrefix("postgres") ? "the database's address is read from $.store.url of" : "the address is read from"
            return .usage("an argument too many; \(address) the configuration")
        }
        let isPath = word.contains("/") || word.hasSuffix(".json")
        let missing = command.options.first { $0.isRequired && !has($0.name) && $0.value?.isSecret == false }
        let option = missing ?? (isPath ? command.options.first { $0.value?.isPath == true && !has($0.name) } : nil)
        let hint =
            option.map { "; did you mean \(Self.isShort(word) ? "--\($0.name) \(ShellWord.quoted(word))" : $0.spelling)?" }
            ?? (isAfterValue ? "; an option takes one value: quote it if it has spaces, or run the command once for each" : "")
        return .usage("an argument too many" + Console.mention([word]) + hint)
    }

    /// The error for a dash of a word processor before an option's name; nil for any other word.
    func longDash(_ word: String) -> CommandError? {
        func isDash(_ scalar: Unicode.Scalar) -> Bool { ("\u{2010}"..."\u{2015}").contains(scalar) || scalar == "\u{2212}" }
        guard word.unicodeScalars.first.map(isDash) == true else { return nil }
        let name = String(word.unicodeScalars.drop(while: isDash))
        return nearest(to: name, among: command.options).map {
            .usage("a long dash, as word processors write it, begins no option; type two hyphens: --\($0)")
        }
    }

    /// Warns of a user id that may have been copied with surrounding characters, because a user id may contain anything.
    func warnOfUser() {
        guard let option = command.option(for: "user_id"), let id = self[option.name] else { return }
        let scalars = id.unicodeScalars
        guard let first = scalars.first, let last = scalars.last else { return }
        let quotes: Set<Unicode.Scalar> = ["\"", "'", "`", "\u{201C}", "\u{201D}", "\u{AB}", "\u{BB}"]
        let finding =
            if TextEncoding.hasUnseenEnd(id) {
                "has white space or an invisible character at an end"
            } else if quotes.contains(first), quotes.contains(last) {
                "is in quotes"
            } else if first == "{", last == "}" {
                "looks like a JSON object"
            } else {
                nil as String?
            }
        if let finding { Console.complain("warning: --\(option.name) \(finding), all of which is taken as part of the id") }
    }

    private func nearest(to word: String, among options: [Option]) -> String? {
        let typed = word.drop { $0 == "-" }.lowercased()
        let names = (options + [.help]).map(\.name)
        // The edit distance of `--user-id` and `--user` is too large for a typing error.
        return typed.isEmpty ? nil : NearestWord.nearest(to: typed, in: names) ?? names.first { typed.hasPrefix("\($0)-") }
    }

    private static func isShort(_ word: String) -> Bool { !Console.mention([word]).isEmpty }
}
