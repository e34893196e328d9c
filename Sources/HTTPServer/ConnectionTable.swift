internal import Synchronization
internal import Threading

/// The open connections of one server.
///
/// A connection leaves the table before libmicrohttpd closes its socket, so that under the lock each one's descriptor is its own.
final class ConnectionTable: Sendable {
    // Not a Mutex: when it is contended the kernel hands it over, which the thread sanitizer cannot see.
    private let connections = Monitor<[Connection]>([])
    private let count = Atomic<Int>(0)

    /// How many connections are open; exact only under no traffic.
    var approximateCount: Int {
        count.load(ordering: .relaxed)
    }

    func insert(_ connection: Connection) {
        connections.withLock { all in
            unsafe connection.tableIndex = all.count
            all.append(connection)
            count.store(all.count, ordering: .relaxed)
        }
    }

    func remove(_ connection: Connection) {
        connections.withLock { all in
            guard let last = all.popLast() else { return }
            if last !== connection {
                unsafe all[connection.tableIndex] = last
                unsafe last.tableIndex = connection.tableIndex
            }
            count.store(all.count, ordering: .relaxed)
        }
    }

    /// Ends what has taken too long.
    func expire(now: UInt64) {
        connections.withLock { all in
            for connection in all {
                connection.expire(now: now, suspended: StandardResponse.deadlineExceeded)
            }
        }
    }

    /// Ends every request that is under way: suspended ones are answered 503, the others cut off.
    func endRequests() {
        connections.withLock { all in
            for connection in all where !connection.phase.isIdle {
                connection.expire(now: .max, suspended: StandardResponse.shuttingDown)
            }
        }
    }

    /// Whether any request is under way.
    func hasRequests() -> Bool {
        connections.withLock { all in all.contains { !$0.phase.isIdle } }
    }
}
