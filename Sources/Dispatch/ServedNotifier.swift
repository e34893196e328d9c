package import Core
package import HTTPClient
internal import Threading
package import Time

/// A notifier with the connections that it needs; its owner must call `close`.
package final class ServedNotifier: Sendable {
    package let notifier: any Notifier
    /// When its certificate expires, in Unix seconds; nil when it has none.
    let credentialExpiresAt: UnixSeconds?
    /// The remedy while attempt after attempt fails for a reason; nil for Deskgate's own notifier.
    let remedyWhileFailing: (@Sendable (_ reason: String) -> String)?
    private let client: Client?
    private let isClosed = Monitor(false)

    /// Takes ownership of a notifier.
    /// - Parameters:
    ///   - client: its connections, closed with it.
    ///   - credentialExpiresAt: nil when the notifier has no certificate.
    ///   - remedyWhileFailing: what an operator can do while attempts fail for a reason, for the log.
    package init(
        _ notifier: any Notifier, client: Client? = nil, credentialExpiresAt: UnixSeconds? = nil,
        remedyWhileFailing: (@Sendable (_ reason: String) -> String)? = nil
    ) {
        self.notifier = notifier
        self.client = client
        self.credentialExpiresAt = credentialExpiresAt
        self.remedyWhileFailing = remedyWhileFailing
    }

    package var hasClosed: Bool { isClosed.withLock { $0 } }

    /// Ends the attempts under way and closes the connections. Idempotent. Must not be called in an attempt's completion.
    package func close() {
        let isFirst = isClosed.update { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { client?.close() }
    }

    /// Returns the operator's remedy for an outcome with this reason that pauses the notifier, or suggests that it is misconfigured.
    func remedy(reason: String) -> String {
        notifier.remedy(for: reason)
    }
}
