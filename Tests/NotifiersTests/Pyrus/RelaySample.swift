import Notifiers

@testable import Configuration

extension Configuration.Relay {
    /// A relay to a test's server with up to eight concurrent calls.
    static func sample(_ url: String) -> Configuration.Relay {
        Configuration.Relay(
            helpDesk: .pyrus, url: url,
            transport: NotifierTransport(concurrency: 8))
    }
}
