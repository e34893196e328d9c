import Glibc
import Observability
import Postgres
import TestSupport

/// A replica in a separate process that is killed within a batch, while its notifier has deliveries.
enum DyingReplica {
    /// The numbers of its comments begin after this one, so that they differ from other replicas'.
    private static let first = 1_000_000

    /// Runs in a process that it ends with SIGKILL. Its journal is written to the standard output.
    /// - Parameter address: the address of the database.
    static func run(_ address: String) throws {
        let coalescer = AcceptanceRecord(isJournaled: true)
        let logger = Logger(level: .error, sink: try LogSink(descriptor: 2, format: .text))
        let notifier = RecordingNotifier(coalescer, answers: false)
        let replica = try Replica(try ConnectionSettings(address.utf8.span), notifier: notifier, logger: logger)
        let load = Load(on: [replica], coalescer, after: first)
        guard coalescer.waitForMore(40, by: [0]), eventually({ coalescer.hasDelivered }) else { return }
        // Only this process sends comments to these persons, so its own writer waits with half of a batch done.
        _ = try Opponent(address).block("phone-\(first)-%") { kill(getpid(), SIGKILL) }
        load.stop(isInVain: true)
    }
}
