internal import Synchronization
internal import Threading

/// The open connections of one server.
///
/// A connection leaves the table before libmicrohttpd closes its socket, so under the lock each descriptor still belongs to its connection.
final class ConnectionTable: Sendable {
    // Not a Mutex: the thread sanitizer does not see its futex synchronization.
    private let connections = Monitor<[Connection]>([])
    private let count = Atomic<Int>(0)

    /// How many connections are open; exact only without traffic.
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

    /// Ends every request and connection whose deadline has passed.
    func expire(now: UInt64) {
        connections.withLock { all in
            for connection in all {
                connection.expire(now: now, suspended: StandardResponse.deadlineExceeded)
            }
        }
    }

    /// Ends every request in progress: suspended ones are answered 503, the other connections are shut down.
    func endRequests() {
        connections.withLock { all in
            for connection in all where !connection.phase.isIdle {
                connection.expire(now: .max, suspended: StandardResponse.shuttingDown)
            }
        }
    }

    /// Closes the connection that has waited longest for its next request, if there is one, to make room for another client.
    func closeLongestIdle() {
        connections.withLock { all in
            all.min { ($0.phase.idleDeadline ?? .max) < ($1.phase.idleDeadline ?? .max) }?.closeIfIdle()
        }
    }

    /// Whether any request is in progress.
    func hasRequests() -> Bool {
        connections.withLock { all in all.contains { !$0.phase.isIdle } }
    }
}
