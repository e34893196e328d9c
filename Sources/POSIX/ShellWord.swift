package enum ShellWord {
    private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,".utf8)

    /// Adds quotes only if the text needs them.
    package static func quoted(_ text: String) -> String {
        !text.isEmpty && text.utf8.allSatisfy(plain.contains) ? text : inQuotes(text)
    }

    package static func inQuotes(_ text: String) -> String {
        "'" + text.flatMap { $0 == "'" ? Array("'\\''") : [$0] } + "'"
    }
}
