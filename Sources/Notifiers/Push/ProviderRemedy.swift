internal import Core

/// The operator's remedies for a provider's answers: ends of sentences, whose raw values are the English texts.
protocol ProviderRemedy: RawRepresentable<String> {
    var russian: String { get }
}

extension ProviderRemedy {
    var localized: LocalizedText { LocalizedText("\(rawValue)", "\(russian)") }
}
