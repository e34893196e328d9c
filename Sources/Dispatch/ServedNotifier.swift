package import Core
package import HTTPClient
internal import Threading
package import Time

/// A notifier with the connections that it needs. Must be closed.
package final class ServedNotifier: Sendable {
    /// What delivers.
    package let notifier: any Notifier
    /// When its certificate expires, in Unix seconds; nil when it has none.
    let credentialExpiresAt: UnixSeconds?
    private let client: Client?
    private let isClosed = Monitor(false)

    /// Takes a notifier over.
    /// - Parameters:
    ///   - client: closed with it.
    ///   - credentialExpiresAt: nil when the notifier has no certificate.
    package init(_ notifier: any Notifier, client: Client? = nil, credentialExpiresAt: UnixSeconds? = nil) {
        self.notifier = notifier
        self.client = client
        self.credentialExpiresAt = credentialExpiresAt
    }

    /// Whether it has been closed.
    package var hasClosed: Bool { isClosed.withLock { $0 } }

    /// Ends what runs and closes the connections; nothing the second time. Not to be called in a completion.
    package func close() {
        let isFirst = isClosed.update { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { client?.close() }
    }

    /// What an operator does when an outcome with this reason pauses the notifier or casts doubt on its settings.
    func remedy(reason: String) -> String {
        notifier.remedy(for: reason)
    }
}
