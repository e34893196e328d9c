internal import Bots
package import Configuration
internal import HTTPServer
internal import HelpDesk
internal import Tracing

extension Configuration {
    /// The number of descriptors other than connections: the store, the log, listening sockets, and those of libraries.
    private static let ownFiles = 64

    /// The maximum number of open files: one for each permitted connection, and a few others.
    package var wantedOpenFiles: Int { connectionsOfCallers + connectionsToOthers + Self.ownFiles }

    /// The maximum number of callers' connections.
    package var connectionsOfCallers: Int { listen.settings.connectionLimit + admin.listener.settings.connectionLimit }

    /// The maximum number of the service's own connections to the servers in this configuration, by the limits of their clients.
    package var connectionsToOthers: Int {
        let parts = [
            BackendServices.connectionLimit(of: self), ServedBots.connectionLimit(of: self), TraceExporter.connectionLimit(of: self),
        ]
        let helpDesks = HelpDesk.all.map { $0.connectionLimit(self) }
        return (parts + helpDesks + notifiers.map { NotifierFactory.connectionLimit(of: $0) }).reduce(0, +)
    }
}
