package import Core
package import HTTPClient
internal import Threading
package import Time

/// A notifier with its connections; the owner must call `close`.
package final class ServedNotifier: Sendable {
    package let notifier: any Notifier
    /// Nil when it has no certificate.
    let credentialExpiresAt: UnixSeconds?
    /// The remedy while attempts fail repeatedly for a reason; nil for Deskgate's own notifiers.
    let remedyWhileFailing: (@Sendable (_ reason: String) -> String)?
    private let client: Client?
    private let isClosed = Monitor(false)

    /// - Parameter client: closed with the notifier.
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

    /// Ends the running attempts and closes the connections. Idempotent. Must not be called in an attempt's completion.
    package func close() {
        let isFirst = isClosed.update { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { client?.close() }
    }

    /// The remedy when an outcome with this reason pauses the notifier, or suggests a misconfiguration.
    func remedy(reason: String) -> String {
        notifier.remedy(for: reason)
    }
}
