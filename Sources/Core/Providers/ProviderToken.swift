/// A token that a push provider's requests are authorized with, as its cache has handed it out.
///
/// Its text is a credential for about an hour: it belongs in a header and never in a log. Printed, it is `<redacted>`.
package struct ProviderToken: Sendable {
    /// What stands after `bearer`.
    package let text: String
    /// Which of its cache's tokens it is: providers may hand out the same text twice.
    let number: UInt64
    /// What had been added to our clock when it was minted, in seconds.
    let clockCorrectionSeconds: Int64
}

extension ProviderToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The same for every token.
    package var description: String { "<redacted>" }

    /// The same for every token.
    package var debugDescription: String { description }

    /// No children, so that `dump` and test reports show nothing either.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
