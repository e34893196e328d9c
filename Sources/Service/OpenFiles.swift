internal import Bots
package import Configuration
internal import HTTPServer
internal import HelpDesk
internal import Tracing

extension Configuration {
    /// What the process has open beside connections: the store, the log, sockets that listen, and what libraries keep.
    private static let ownFiles = 64

    /// How many files the service may have open: one for each connection that a bound allows, and some of its own.
    package var wantedOpenFiles: Int { connectionsOfCallers + connectionsToOthers + Self.ownFiles }

    /// How many connections callers may have open.
    package var connectionsOfCallers: Int { listen.settings.connectionLimit + admin.listener.settings.connectionLimit }

    /// How many connections the service may open itself, to those whom this configuration has it call: as each one's client is bound.
    package var connectionsToOthers: Int {
        let parts = [
            BackendServices.connectionLimit(of: self), ServedBots.connectionLimit(of: self), TraceExporter.connectionLimit(of: self),
        ]
        let helpDesks = HelpDesk.all.map { $0.connectionLimit(self) }
        return (parts + helpDesks + notifiers.map { NotifierFactory.connectionLimit(of: $0) }).reduce(0, +)
    }
}
