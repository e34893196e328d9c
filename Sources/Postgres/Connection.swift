internal import CPostgres

/// A connection to one PostgreSQL server.
///
/// Only one thread may use a connection at a time. Its calls block, but never beyond their deadlines. Create the connection on the thread
/// that will use it. When a deadline passes before the server answers, or when the connection breaks, it is closed immediately. Every later
/// call then throws, and the caller must open a new connection. Releasing the object closes the connection.
@safe
package final class Connection {
    enum TransactionPhase {
        case none
        /// BEGIN is sent with the first statement.
        case beginning(Query)
        case open
        /// COMMIT was sent. The error is set if it failed.
        case ended(PostgresError?)
    }

    private var handle: OpaquePointer?
    private let notices: NoticeCollector
    private let onNotice: (Notice) -> Void
    private var prepared: PreparedStatements?
    private var loss: PostgresError?
    var phase = TransactionPhase.none

    /// Connects to the first suitable host of the settings.
    /// - Parameter onNotice: called with each notice on this thread, during calls of this connection. The messages may quote text from
    ///   functions of the database.
    /// - Throws: the reasons why no host is suitable, or a timeout.
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

    /// Sends Terminate if this does not block, and closes the socket. The server rolls back an open transaction. Later calls throw.
    package func close() {
        if loss == nil { loss = PostgresError(.connectionLost, "the connection was closed before") }
        finish()
    }

    private func finish() {
        if let handle = unsafe handle { unsafe PQfinish(handle) }
        unsafe handle = nil
    }

    /// Whether the connection is open, as far as can be determined without a query.
    package var isOpen: Bool { unsafe handle != nil }

    var isIdle: Bool {
        guard let handle = unsafe handle else { return true }
        return unsafe PQtransactionStatus(handle) == PQTRANS_IDLE
    }

    /// The server's version, such as 150004 for 15.4; 0 when there is no connection.
    package var serverVersion: Int { unsafe handle.map { unsafe Int(PQserverVersion($0)) } ?? 0 }

    package var isEncrypted: Bool { unsafe handle.map { unsafe PQsslInUse($0) == 1 } ?? false }

    /// The host and the port of the server; nil when there is no connection.
    package var server: String? {
        guard let handle = unsafe handle else { return nil }
        return unsafe "\(String(cString: PQhost(handle))):\(String(cString: PQport(handle)))"
    }

    /// Returns a handle that lets other threads cancel the current statement of this connection; nil when there is no connection. Create
    /// the handle before the call that may have to be cancelled.
    package func cancelHandle() -> CancelHandle? {
        guard let handle = unsafe handle, let cancel = unsafe PQgetCancel(handle) else { return nil }
        return unsafe CancelHandle(owning: cancel)
    }

    /// Returns libpq's handle, for the duration of one call.
    func openHandle() throws(PostgresError) -> OpaquePointer {
        guard let handle = unsafe handle else { throw loss ?? PostgresError(.connectionLost, "the connection was closed before") }
        return unsafe handle
    }

    /// Closes the connection. Each later call throws the given error.
    func lose(_ error: PostgresError) {
        // Keeps the kind of a timeout, so that the errors of later calls have its remedy.
        loss = PostgresError(
            error.failure == .timedOut ? .timedOut : .connectionLost, "the connection was lost earlier: \(error.message)",
            sqlState: error.sqlState)
        finish()
        passOnNotices()
    }

    /// Returns the error for a broken connection, with the server's last message if there is one.
    func lost(_ loss: Exchange.Loss) -> PostgresError {
        switch loss {
        case .late: return PostgresError(.timedOut, "the server did not answer in time")
        case .broken(let message):
            guard let ending = notices.ending else { return PostgresError(.connectionLost, message) }
            return PostgresError(.connectionLost, ending.message, sqlState: ending.sqlState)
        }
    }

    /// Passes the notices since the last call to `onNotice`.
    @discardableResult
    func passOnNotices() -> [Notice] {
        let taken = notices.take()
        for notice in taken { onNotice(notice) }
        return taken
    }

    /// Throws when the server has already closed the connection, so that no statement is sent whose outcome would be unknown.
    func checkIsOpen(_ handle: OpaquePointer) throws(PostgresError) {
        var isBroken = false
        while !isBroken, SocketWait.isReadable(unsafe PQsocket(handle)) {
            isBroken = unsafe PQconsumeInput(handle) == 0
            // Parses the server's reason, and keeps notifications.
            if unsafe PQisBusy(handle) == 1 { break }
        }
        guard isBroken || notices.ending != nil else { return }
        let error = lost(.broken(unsafe firstLine(String(cString: PQerrorMessage(handle)))))
        lose(error)
        throw error
    }

    /// Makes one round trip, and updates the state of the connection.
    /// - Parameter commits: whether the round trip ends with COMMIT, or its statements form an implicit transaction.
    /// - Returns: the results, and the notices of the round trip.
    /// - Throws: the first error, with `commitIsInDoubt` if the outcome of the commit is unknown.
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
        var failure = exchange.error ?? PostgresError(.connectionLost, "the server's results do not match the statements")
        failure.commitIsInDoubt = commits && !failure.isRolledBack
        throw failure
    }
}
