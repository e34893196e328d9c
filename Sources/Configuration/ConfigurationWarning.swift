package import Core

/// A warning about a setting that is valid but should be changed.
package struct ConfigurationWarning: Sendable {
    /// The JSON path of the setting, such as `$.admin.tls`.
    package let path: String
    /// The end of a sentence: the cause and, after the first semicolon, the remedy.
    package let message: LocalizedText
    /// Whether the warning is about the expiry of one of `Configuration.credentials`.
    package var isAboutCredential = false

    package var cause: LocalizedText { message.map { text in text.firstRange(of: "; ").map { String(text[..<$0.lowerBound]) } ?? text } }

    package var remedy: LocalizedText { message.map { text in text.firstRange(of: "; ").map { String(text[$0.upperBound...]) } ?? "" } }
}
