/// Texts as words of a shell's command line.
enum ShellWord {
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,".utf8)

    /// The text as one word, in quotes where it needs them.
    static func quoted(_ text: String) -> String {
        !text.isEmpty && text.utf8.allSatisfy(plain.contains) ? text : ZshCompletions.quoted(text)
    }
}

extension Arguments {
    /// The command line; a secret stands in it as `-`, which reads it from standard input.
    var line: String {
        var words = ["deskgate"] + command.words
        for option in command.options where has(option.name) {
            let given = all(option.name)
            if given.isEmpty { words.append("--\(option.name)") }
            for value in given {
                words += ["--\(option.name)", option.value?.isSecret == true ? SecretInput.mark : ShellWord.quoted(value)]
            }
        }
        if let operand { words.append(command.operand?.value.isSecret == true ? SecretInput.mark : ShellWord.quoted(operand)) }
        return words.joined(separator: " ")
    }
}
