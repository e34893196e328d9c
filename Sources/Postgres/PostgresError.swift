/// An error of PostgreSQL or of the connection to it: its SQLSTATE and message, and never a value, a key or the password.
package struct PostgresError: Error, Equatable, Sendable {
    package enum Failure: Equatable, Sendable {
        case refused
        case notConnected
        /// A server has not answered before the deadline for a connection.
        case noAnswer
        case notResolved
        /// The server could not prove its identity, or TLS negotiation failed.
        case notVerified
        case connectionLost
        /// The deadline passed first; a connection that was waiting for an answer is closed.
        case timedOut
        /// A commit returned with a warning: it took effect here, but its standby may not have it.
        case notReplicated
        /// A parameter that PostgreSQL cannot store, or a column of another type than expected. The connection remains usable.
        case value
        /// The address or its options are invalid.
        case settings
    }

    package let failure: Failure
    /// PostgreSQL's name of the error; nil when the server sent none.
    package let sqlState: SQLState?
    /// One sentence without its full stop: the primary message of the server, of this module or of libpq.
    package let message: String
    package let constraint: String?
    /// The index of the failed query in the pipeline, from 0; nil when no single query failed, for example when the commit failed.
    package internal(set) var queryIndex: Int?
    /// Whether it is unknown if the statements took effect: a commit was sent, by COMMIT or at the end of statements outside a transaction,
    /// and no reliable answer arrived. Always false for statements of `read`.
    package internal(set) var commitIsInDoubt = false
    /// Whether the server ended the connection with the error (severity FATAL or PANIC).
    let isFatal: Bool
    /// Whether the connection was lost right after the error.
    var hasLostConnection = false

    init(
        _ failure: Failure, _ message: String, sqlState: SQLState? = nil, constraint: String? = nil, isFatal: Bool = false,
        commitIsInDoubt: Bool = false
    ) {
        self.failure = failure
        self.message = message
        self.sqlState = sqlState
        self.constraint = constraint
        self.isFatal = isFatal
        self.commitIsInDoubt = commitIsInDoubt
    }
}

extension PostgresError {
    /// Whether there is no connection: close it and create another one.
    package var isConnectionLost: Bool {
        switch failure {
        case .notConnected, .noAnswer, .notResolved, .notVerified, .connectionLost, .timedOut: true
        case .refused: isFatal || hasLostConnection
        case .notReplicated, .value, .settings: false
        }
    }

    /// Whether the same work may succeed when it is repeated unchanged from its beginning, with a new connection if this one
    /// `isConnectionLost`. Never true while `commitIsInDoubt`: first find out whether the commit took effect, or send only statements that
    /// may take effect twice.
    package var isRetryable: Bool {
        guard !commitIsInDoubt else { return false }
        switch failure {
        case .connectionLost, .timedOut, .noAnswer, .notResolved: return true
        case .refused, .notConnected: return sqlState.map { $0.isTransient } ?? (failure == .notConnected)
        case .notVerified, .notReplicated, .value, .settings: return false
        }
    }

    /// Whether the error proves that the transaction was rolled back. An error that ends the connection does not: a pooler sends such
    /// errors too, and does not know the server's progress.
    var isRolledBack: Bool {
        failure == .refused && !isFatal && sqlState != .completionUnknown && sqlState != .resolutionUnknown
    }

    /// Whether a row with the same key already exists; `constraint` names the key.
    package var isUniqueViolation: Bool { sqlState == .uniqueViolation }

    package var isFull: Bool { sqlState == .diskFull }
}

extension SQLState {
    /// Whether the error is temporary: conflicts of transactions, a server that stops, starts or changes its role, lost connections.
    fileprivate var isTransient: Bool {
        switch code {
        case "40001", "40P01", "55P03", "57P01", "57P02", "57P03", "57P05", "25P03", "53300", "25006", "26000": true
        // The rest of class 40 means that a transaction was rolled back for a lasting reason, or may have been committed.
        default: isOfClass("08")
        }
    }
}

extension PostgresError: CustomStringConvertible {
    /// One line for the operator: the message, the SQLSTATE, the remedy, and whether a commit is in doubt.
    package var description: String {
        let doubt = commitIsInDoubt ? "it is unknown whether the transaction was committed" : nil
        return [cause, remedy, doubt].compactMap { $0 }.joined(separator: "; ")
    }

    /// The same without the remedy, and without the part that concerns only the caller that committed.
    package var cause: String {
        var text = message
        if let sqlState { text += " (SQLSTATE \(sqlState))" }
        if let constraint { text += ", constraint \(constraint)" }
        return text
    }
}
