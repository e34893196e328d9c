internal import Bytes
internal import Synchronization
internal import Threading

/// The open connections of one server, and the limits on their number.
///
/// A connection leaves the table before libmicrohttpd closes its socket, so under the lock each descriptor still belongs to its connection.
final class ConnectionTable: Sendable {
    // Not a Mutex: the thread sanitizer does not see its futex synchronization.
    private let contents = Monitor(TableContents())
    private let count = Atomic<Int>(0)
    private let limit: Int
    private let limitPerCaller: Int

    init(limit: Int, limitPerCaller: Int) {
        (self.limit, self.limitPerCaller) = (limit, limitPerCaller)
    }

    /// The number of open connections; exact only without traffic.
    var approximateCount: Int {
        count.load(ordering: .relaxed)
    }

    /// Adds a connection. At a limit it first closes an idle one, or rejects this one if none is idle.
    /// - Returns: the reached limit; nil while there is room.
    func insert(_ connection: Connection) -> ReachedBound? {
        contents.withLock { contents in
            let reached = contents.makeRoom(for: connection.caller, limit, limitPerCaller)
            contents.append(connection, isRefused: reached?.isRefused == true)
            count.store(contents.all.count, ordering: .relaxed)
            return reached
        }
    }

    func remove(_ connection: Connection) {
        contents.withLock { contents in
            contents.remove(connection)
            count.store(contents.all.count, ordering: .relaxed)
        }
    }

    /// Ends every request and connection whose deadline has passed.
    func expire(now: UInt64) {
        contents.withLock { contents in
            for connection in contents.all {
                connection.expire(now: now, suspended: StandardResponse.deadlineExceeded)
            }
        }
    }

    /// Ends every request in progress: suspended ones are answered 503, the other connections are shut down.
    func endRequests() {
        contents.withLock { contents in
            for connection in contents.all where !connection.phase.isIdle {
                connection.expire(now: .max, suspended: StandardResponse.shuttingDown)
            }
        }
    }

    /// Closes the connection that has been idle longest, if there is one, to make room for another client.
    func closeLongestIdle() {
        contents.withLock { _ = $0.closeIdle(of: nil) }
    }

    func hasRequests() -> Bool {
        contents.withLock { contents in contents.all.contains { !$0.phase.isIdle } }
    }
}

/// The connections and their counts, guarded by the table's lock.
private struct TableContents {
    /// The connections of a caller that is limited.
    struct Share {
        var count = 0
        var idle = IdleConnections()
    }

    /// The maximum number of connections that wait for the rejection of their request; further ones are closed without a response.
    private static let maximumRefused = 128

    var all: [Connection] = []
    private var counted = 0
    private var refused = 0
    private var shares: [IPAddress: Share] = [:]
    private var idle = IdleConnections()

    mutating func append(_ connection: Connection, isRefused: Bool) {
        unsafe connection.tableIndex = all.count
        all.append(connection)
        guard isRefused else {
            unsafe connection.limitState = .counted
            counted += 1
            if let caller = connection.caller { shares[caller, default: Share()].count += 1 }
            return
        }
        unsafe connection.limitState = .refused
        refused += 1
        if refused > Self.maximumRefused { _ = connection.closeIfIdle() }
    }

    mutating func remove(_ connection: Connection) {
        end(connection)
        guard let last = all.popLast(), last !== connection else { return }
        unsafe all[connection.tableIndex] = last
        unsafe last.tableIndex = connection.tableIndex
    }

    mutating func makeRoom(for caller: IPAddress?, _ limit: Int, _ limitPerCaller: Int) -> ReachedBound? {
        if let caller, shares[caller]?.count ?? 0 >= limitPerCaller {
            return ReachedBound(of: caller, isRefused: !closeIdle(of: caller))
        }
        return counted < limit ? nil : ReachedBound(of: nil, isRefused: !closeIdle(of: nil))
    }

    /// Closes the connection that has been idle longest.
    /// - Parameter caller: its required owner; nil for any.
    /// - Returns: whether there was one.
    mutating func closeIdle(of caller: IPAddress?) -> Bool {
        let closed =
            if let caller {
                shares[caller]?.idle.closeLongest(among: all) { $0.caller == caller }
            } else {
                idle.closeLongest(among: all) { _ in true }
            }
        guard let closed else { return false }
        end(closed)
        return true
    }

    /// Removes a connection that is closed, or about to be, from the counts.
    private mutating func end(_ connection: Connection) {
        switch unsafe connection.limitState {
        case .ended: return
        case .refused: refused -= 1
        case .counted:
            counted -= 1
            if let caller = connection.caller, let share = shares[caller] {
                if share.count > 1 { shares[caller]?.count -= 1 } else { shares[caller] = nil }
            }
        }
        unsafe connection.limitState = .ended
    }
}

/// Connections in the order in which they became idle, the longest ago last.
///
/// The order is computed again when no found connection is left or idle: so each connection of a flood costs only a part of a scan of the
/// table.
private struct IdleConnections {
    private static let fewest = 64

    private var found: [(connection: Connection, since: UInt64)] = []
    private var foundNoneAt: UInt64?

    /// Closes the one that has been idle longest.
    /// - Parameters:
    ///     - all: the connections to search; only the counted ones are closed.
    ///     - isWanted: whether a connection may be closed.
    /// - Returns: the one that is closed; nil when none is idle.
    mutating func closeLongest(among all: [Connection], where isWanted: (Connection) -> Bool) -> Connection? {
        if let connection = closeLast() { return connection }
        let now = coarseMilliseconds()
        guard foundNoneAt != now else { return nil }
        found = all.compactMap { connection in
            guard unsafe connection.limitState == .counted, isWanted(connection) else { return nil }
            return connection.idleSince.map { (connection, $0) }
        }
        found.sort { $0.since > $1.since }
        found.removeFirst(max(found.count - max(Self.fewest, all.count / Self.fewest), 0))
        let connection = closeLast()
        foundNoneAt = connection == nil ? now : nil
        return connection
    }

    private mutating func closeLast() -> Connection? {
        while let (connection, since) = found.popLast() {
            if unsafe connection.limitState == .counted, connection.idleSince == since, connection.closeIfIdle() { return connection }
        }
        return nil
    }
}
