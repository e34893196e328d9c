internal import Core

/// The operator's remedies for a provider's answers. The raw values are the English texts, each the end of a sentence.
protocol ProviderRemedy: RawRepresentable<String> {
    var russian: String { get }
}

extension ProviderRemedy {
    var localized: LocalizedText { LocalizedText("\(rawValue)", "\(russian)") }
}
