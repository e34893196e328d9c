internal import Configuration
internal import Core
internal import HTTPClient
internal import Threading

/// A notifier with the connections that it needs. Must be closed.
final class ServedNotifier: Sendable {
    /// What it was made of; nil when a test made it.
    let configuration: Configuration.Notifier?
    /// What delivers.
    let notifier: any Notifier
    /// When its certificate expires, in Unix seconds; nil when it has none.
    let credentialExpiresAt: UInt64?
    private let client: Client?
    private let isClosed = Monitor(false)

    /// - Parameter client: closed with it.
    init(
        _ notifier: any Notifier, configuration: Configuration.Notifier? = nil, client: Client? = nil, credentialExpiresAt: UInt64? = nil
    ) {
        self.notifier = notifier
        self.configuration = configuration
        self.client = client
        self.credentialExpiresAt = credentialExpiresAt
    }

    /// Whether it has been closed.
    var hasClosed: Bool { isClosed.withLock { $0 } }

    /// Ends what runs and closes the connections; nothing the second time. Not to be called in a completion.
    func close() {
        let isFirst = isClosed.update { isClosed in
            defer { isClosed = true }
            return !isClosed
        }
        if isFirst { client?.close() }
    }

    /// What an operator does when it is switched off for this reason.
    func remedy(reason: String) -> String {
        NotifierRemedy.text(configuration?.type ?? .log, reason: reason)
    }
}
