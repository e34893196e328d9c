internal import CPostgres

/// A connection to one PostgreSQL server.
///
/// It is used by one thread at a time, which waits for the server, but never beyond the deadline of its call: create it on the thread that
/// keeps it. When a deadline passes while an answer is due, or the connection breaks, it is closed at once, every later call throws, and
/// only a new connection helps. Letting it go closes it.
@safe
package final class Connection {
    enum TransactionPhase {
        case none
        /// BEGIN goes with the first statement.
        case beginning(Query)
        case open
        /// COMMIT has been tried, with this error if it failed.
        case ended(PostgresError?)
    }

    private var handle: OpaquePointer?
    private let notices: NoticeCollector
    private let onNotice: (Notice) -> Void
    private var prepared: PreparedStatements?
    private var loss: PostgresError?
    var phase = TransactionPhase.none

    /// Connects to the first host of the settings that will do.
    /// - Parameter onNotice: is called on this thread, during calls of this connection, with each notice; their messages may quote what
    ///   functions of the database say.
    /// - Throws: why none will do, or that the deadline came first.
    package init(
        _ settings: ConnectionSettings, by deadline: Deadline, onNotice: @escaping (Notice) -> Void = { _ in }
    ) throws(PostgresError) {
        notices = NoticeCollector()
        self.onNotice = onNotice
        prepared = settings.usesPreparedStatements ? PreparedStatements() : nil
        unsafe handle = try Connecting(settings, notices).connect(by: deadline)
    }

    deinit {
        if let handle = unsafe handle { unsafe PQfinish(handle) }
    }

    /// Says good-bye, as far as that needs no waiting, and closes the socket; a transaction that is open is rolled back. Using it
    /// afterwards throws.
    package func close() {
        if loss == nil { loss = PostgresError(.connectionLost, "the connection was closed before") }
        finish()
    }

    private func finish() {
        if let handle = unsafe handle { unsafe PQfinish(handle) }
        unsafe handle = nil
    }

    /// Whether the connection is open, as far as is known without a query.
    package var isOpen: Bool { unsafe handle != nil }

    var isIdle: Bool {
        guard let handle = unsafe handle else { return true }
        return unsafe PQtransactionStatus(handle) == PQTRANS_IDLE
    }

    /// The server's version, such as 150004 for 15.4; 0 when there is no connection.
    package var serverVersion: Int { unsafe handle.map { unsafe Int(PQserverVersion($0)) } ?? 0 }

    package var isEncrypted: Bool { unsafe handle.map { unsafe PQsslInUse($0) == 1 } ?? false }

    /// The host and the port that it is connected to; nil when there is no connection.
    package var server: String? {
        guard let handle = unsafe handle else { return nil }
        return unsafe "\(String(cString: PQhost(handle))):\(String(cString: PQport(handle)))"
    }

    /// A handle that lets other threads cancel what this connection is doing; nil when there is no connection. Make it before the call that
    /// may have to be cancelled.
    package func cancelHandle() -> CancelHandle? {
        guard let handle = unsafe handle, let cancel = unsafe PQgetCancel(handle) else { return nil }
        return unsafe CancelHandle(owning: cancel)
    }

    /// libpq's handle, for the length of one call.
    func openHandle() throws(PostgresError) -> OpaquePointer {
        guard let handle = unsafe handle else { throw loss ?? PostgresError(.connectionLost, "the connection was closed before") }
        return unsafe handle
    }

    /// Closes the connection, for the reason that each later call throws.
    func lose(_ error: PostgresError) {
        // A later call has the remedy of a timeout, too.
        loss = PostgresError(
            error.failure == .timedOut ? .timedOut : .connectionLost, "the connection was lost before: \(error.message)",
            sqlState: error.sqlState)
        finish()
        passOnNotices()
    }

    /// The error for a connection that broke, with what the server said before it went.
    func lost(_ loss: Exchange.Loss) -> PostgresError {
        switch loss {
        case .late: return PostgresError(.timedOut, "the server did not answer in time")
        case .broken(let message):
            guard let ending = notices.ending else { return PostgresError(.connectionLost, message) }
            return PostgresError(.connectionLost, ending.message, sqlState: ending.sqlState)
        }
    }

    /// Hands the notices since the last call to who wants them.
    @discardableResult
    func passOnNotices() -> [Notice] {
        let taken = notices.take()
        for notice in taken { onNotice(notice) }
        return taken
    }

    /// Throws when the server has closed the connection meanwhile, so that nothing is sent of which it would be unknown whether it arrived.
    func checkIsOpen(_ handle: OpaquePointer) throws(PostgresError) {
        var isBroken = false
        while !isBroken, SocketWait.isReadable(unsafe PQsocket(handle)) {
            isBroken = unsafe PQconsumeInput(handle) == 0
            // Has the reason be read, and notifications be kept.
            if unsafe PQisBusy(handle) == 1 { break }
        }
        guard isBroken || notices.ending != nil else { return }
        let error = lost(.broken(unsafe firstLine(String(cString: PQerrorMessage(handle)))))
        lose(error)
        throw error
    }

    /// Makes one round trip and settles what it did to the connection.
    /// - Parameter commits: whether it ends with COMMIT, or with the end of statements that are a transaction by themselves.
    /// - Returns: the results, and the notices that came with them.
    /// - Throws: the first error, and whether the commit is in doubt then.
    func roundTrip(
        _ queries: [Query], commits: Bool, by deadline: Deadline
    ) throws(PostgresError) -> (rows: [Rows], notices: [Notice]) {
        let handle = unsafe try openHandle()
        if let problem = queries.lazy.compactMap({ $0.problem }).first { throw PostgresError(.value, problem) }
        unsafe try checkIsOpen(handle)
        passOnNotices()
        var exchange = unsafe Exchange(handle, by: deadline)
        do throws(Exchange.Loss) {
            try exchange.send(queries, &prepared)
            let rows = try exchange.receive()
            for key in exchange.forgotten { prepared?.forget(key) }
            if exchange.error == nil { return (rows, passOnNotices()) }
        } catch {
            var failure = exchange.error ?? lost(error)
            failure.commitIsInDoubt = commits && exchange.error?.isRolledBack != true
            failure.hasLostConnection = true
            lose(failure)
            throw failure
        }
        passOnNotices()
        var failure = exchange.error ?? PostgresError(.connectionLost, "the server's answers are out of step")
        failure.commitIsInDoubt = commits && !failure.isRolledBack
        throw failure
    }
}
