import Notifiers

@testable import Configuration

extension Configuration.Relay {
    /// A relay of eight calls at once to a server of a test.
    static func sample(_ url: String) -> Configuration.Relay {
        Configuration.Relay(
            helpDesk: .pyrus, url: url,
            transport: NotifierTransport(concurrency: 8))
    }
}
