internal import POSIX

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
        if let operand { words.append(ShellWord.quoted(operand)) }
        return words.joined(separator: " ")
    }
}
