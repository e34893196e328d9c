internal import CPostgres

/// One round trip: it sends statements and the Sync message that ends their unit, and reads the results in order.
///
/// A round trip never blocks beyond its deadline. Data that cannot be sent immediately is sent while results are read, so that client and
/// server do not wait for each other.
@safe
struct Exchange {
    enum Loss: Error {
        case late
        case broken(String)
    }

    /// The steps that the server answers, in the order of sending.
    private enum Step {
        case prepare(StatementKey, query: Int)
        case run(StatementKey?, query: Int)
    }

    private let handle: OpaquePointer
    private let deadline: Deadline
    private var steps: [Step] = []
    private var answeredSteps = 0
    private var rows: [Rows] = []
    /// The first error. After it, the server skipped the remaining statements and rolled back uncommitted changes.
    private(set) var error: PostgresError?
    /// Statements that must be prepared again before their next use.
    private(set) var forgotten: [StatementKey] = []

    init(_ handle: OpaquePointer, by deadline: Deadline) {
        unsafe self.handle = unsafe handle
        self.deadline = deadline
    }

    /// Sends the queries and the Sync message, as far as the socket accepts data.
    /// - Parameter prepared: the names of prepared statements, to which new names are added; nil to prepare no statements.
    mutating func send(_ queries: [Query], _ prepared: inout PreparedStatements?) throws(Loss) {
        for (index, query) in queries.enumerated() {
            if prepared != nil {
                try sendPrepared(query, index: index, prepared: &prepared)
            } else {
                guard unsafe query.send(handle, name: nil) else { throw broken() }
                steps.append(.run(nil, query: index))
            }
        }
        guard unsafe PQpipelineSync(handle) == 1 else { throw broken() }
    }

    private mutating func sendPrepared(_ query: Query, index: Int, prepared: inout PreparedStatements?) throws(Loss) {
        let key = query.key
        guard let (name, isNew) = prepared?.name(of: key) else { return }
        if isNew {
            guard unsafe query.sendPrepare(handle, name: name) else { throw broken() }
            steps.append(.prepare(key, query: index))
        }
        guard unsafe query.send(handle, name: name) else { throw broken() }
        steps.append(.run(key, query: index))
    }

    /// Reads results up to the Sync message.
    /// - Returns: the results of the queries in order; fewer after an `error`.
    mutating func receive() throws(Loss) -> [Rows] {
        while true {
            try waitForResult()
            guard let result = unsafe PQgetResult(handle) else {
                // The results of each step end with a null.
                if unsafe PQstatus(handle) == CONNECTION_BAD { throw broken() }
                answeredSteps += 1
                // One additional answer is an error of the commit itself. Further answers belong to no statement.
                guard answeredSteps <= steps.count + 1 else { throw .broken("the server's results do not match the statements") }
                continue
            }
            if unsafe PQresultStatus(result) == PGRES_PIPELINE_SYNC {
                unsafe PQclear(result)
                return rows
            }
            unsafe try take(result)
        }
    }

    private mutating func take(_ result: OpaquePointer) throws(Loss) {
        let step = steps.indices.contains(answeredSteps) ? steps[answeredSteps] : nil
        switch unsafe PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            guard case .run = step else { return unsafe PQclear(result) }
            unsafe rows.append(Rows(owning: result))
        case PGRES_PIPELINE_ABORTED:
            unsafe PQclear(result)
            if case .prepare(let key, _) = step { forgotten.append(key) }
        case PGRES_FATAL_ERROR:
            defer { unsafe PQclear(result) }
            let fields = unsafe ResultFields(result)
            // An error without SQLSTATE comes from libpq, and means that the connection broke.
            guard fields.sqlState != nil else { throw broken() }
            note(PostgresError(fields), step)
        default:
            unsafe PQclear(result)
            throw .broken("the server started a COPY, which is not supported")
        }
    }

    private mutating func note(_ error: PostgresError, _ step: Step?) {
        var error = error
        switch step {
        case .prepare(let key, let query):
            error.queryIndex = query
            forgotten.append(key)
        case .run(let key, let query):
            error.queryIndex = query
            // A pooler has changed the session, or a migration has changed the columns ("cached plan must not change result type").
            if let key, error.sqlState == .unknownStatement || error.sqlState == .featureNotSupported { forgotten.append(key) }
        case nil: break
        }
        if self.error == nil { self.error = error }
    }

    /// Waits until PQgetResult can return a result without blocking, and sends queued data meanwhile.
    private func waitForResult() throws(Loss) {
        while unsafe PQisBusy(handle) == 1 {
            // After a write failure, continues to read, because the server may have sent the reason before it closed the connection.
            let isWriting = unsafe PQflush(handle) == 1
            let socket = unsafe PQsocket(handle)
            guard socket >= 0 else { throw broken() }
            guard let ready = SocketWait.wait(socket, reading: true, writing: isWriting, by: deadline) else { throw .late }
            if ready.read, unsafe PQconsumeInput(handle) == 0, unsafe PQisBusy(handle) == 1 { throw broken() }
        }
    }

    private func broken() -> Loss {
        .broken(unsafe firstLine(String(cString: PQerrorMessage(handle))))
    }
}

extension PostgresError {
    init(_ fields: ResultFields) {
        let state = fields.sqlState
        // Errors of these classes may quote values, for example "invalid input syntax" or errors raised by functions of the database.
        let mayQuote = state.map { $0.isOfClass("22") || $0.isOfClass("P0") } ?? false
        let severity = fields.severity
        self.init(
            .refused, mayQuote ? "the server rejected a value" : fields.message, sqlState: state,
            constraint: fields[DESKGATE_PG_CONSTRAINT], isFatal: severity == "FATAL" || severity == "PANIC")
    }
}
