package import Core

extension LocalizedText {
    private static let englishWords: Set<String> = [
        "a", "an", "and", "are", "as", "by", "for", "has", "in", "is", "it", "its", "not", "of", "on", "or", "that", "the", "there", "this",
        "to", "was", "with",
    ]

    /// Whether the Russian text is Russian, without an English sentence.
    package var isTranslated: Bool {
        let words = russian.lowercased().split { !$0.isLetter && $0 != "_" }.map { String($0) }
        return russian.unicodeScalars.contains { (0x0400...0x04FF).contains($0.value) } && Self.englishWords.isDisjoint(with: words)
    }
}
