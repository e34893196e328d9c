internal import POSIX

extension Arguments {
    /// The command line; a secret is replaced by `-`, which reads it from standard input.
    var line: String {
        var words = ["deskgate"] + command.words
        for option in command.options where has(option.name) {
            let given = all(option.name)
            if given.isEmpty { words.append("--\(option.name)") }
            for value in given {
                let word = option.value?.isSecret == true ? SecretInput.mark : ShellWord.quoted(value)
                words += word.hasPrefix("--") ? ["--\(option.name)=\(word)"] : ["--\(option.name)", word]
            }
        }
        if let operand { words += (operand.hasPrefix("-") ? ["--"] : []) + [ShellWord.quoted(operand)] }
        return words.joined(separator: " ")
    }
}
