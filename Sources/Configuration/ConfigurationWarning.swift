package import Core

/// What is served all the same but should be changed.
package struct ConfigurationWarning: Sendable {
    /// The place in the configuration, such as `$.admin.tls`.
    package let path: String
    /// What is wrong and what to do about it: the end of a sentence.
    package let message: Told
    /// Whether it is about the end of one of `Configuration.credentials`.
    package var isAboutCredential = false
}
