import Glibc
import Observability
import Postgres
import TestSupport

/// A replica in a process of its own, which is killed in the middle of a batch, while its notifier has deliveries.
enum DyingReplica {
    /// After which number it counts its comments, so that they are no other replica's.
    private static let first = 1_000_000

    /// Runs in a process that it ends with SIGKILL. Its ledger is written to the standard output.
    /// - Parameter address: of the database.
    static func run(_ address: String) throws {
        let coalescer = AcceptanceRecord(isJournaled: true)
        let logger = Logger(level: .error, sink: try LogSink(descriptor: 2, format: .text))
        let notifier = RecordingNotifier(coalescer, answers: false)
        let replica = try Replica(try ConnectionSettings(address.utf8.span), notifier: notifier, logger: logger)
        let load = Load(on: [replica], coalescer, after: first)
        guard coalescer.waitForMore(40, by: [0]), eventually({ coalescer.hasDelivered }) else { return }
        // To these persons only this process sends comments, so its writer is the one that waits, with half a batch done.
        _ = try Opponent(address).block("phone-\(first)-%") { kill(getpid(), SIGKILL) }
        load.stop(isInVain: true)
    }
}
