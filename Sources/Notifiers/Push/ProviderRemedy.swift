internal import Core

/// What an operator does about a provider's answers: one sentence's end, whose raw value is the English text.
protocol ProviderRemedy: RawRepresentable<String> {
    var russian: String { get }
}

extension ProviderRemedy {
    /// The text in both languages.
    var localized: LocalizedText { LocalizedText("\(rawValue)", "\(russian)") }
}
