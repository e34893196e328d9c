/// A refusal by PostgreSQL or on the way to it: its SQLSTATE and its words, and never a value, a key or the password.
package struct PostgresError: Error, Equatable, Sendable {
    package enum Failure: Equatable, Sendable {
        case refused
        case notConnected
        /// A server has not answered before the deadline for a connection.
        case noAnswer
        case notResolved
        /// The server could not prove who it is, or TLS could not be agreed on.
        case notVerified
        case connectionLost
        /// The deadline came first; a connection that was waiting for an answer is closed.
        case timedOut
        /// A commit came with a warning: it took effect here, but its standby may not have it.
        case notReplicated
        /// A parameter that PostgreSQL cannot store, or a column of another type than expected. The connection is as before.
        case value
        /// The address or its options are no good.
        case settings
    }

    package let failure: Failure
    /// PostgreSQL's own name of the failure; nil when the server said nothing.
    package let sqlState: SQLState?
    /// One sentence without its full stop: the server's primary message, or the wrapper's or libpq's words.
    package let message: String
    package let constraint: String?
    /// The index of the failed query in the pipeline, from 0; nil for none of them, as when the commit failed.
    package internal(set) var queryIndex: Int?
    /// Whether it is unknown if the statements took effect: a commit was on its way, by COMMIT or at the end of statements outside a
    /// transaction, and no reliable answer came. Statements of `read` leave nothing in doubt.
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
    /// Whether there is no connection any more, or none was made: close it and make another one.
    package var isConnectionLost: Bool {
        switch failure {
        case .notConnected, .noAnswer, .notResolved, .notVerified, .connectionLost, .timedOut: true
        case .refused: isFatal || hasLostConnection
        case .notReplicated, .value, .settings: false
        }
    }

    /// Whether the same work, from its beginning and with a new connection when this one `isConnectionLost`, may succeed unchanged. Never
    /// while `commitIsInDoubt`: first find out what took effect, or send only statements that may take effect twice.
    package var isRetryable: Bool {
        guard !commitIsInDoubt else { return false }
        switch failure {
        case .connectionLost, .timedOut, .noAnswer, .notResolved: return true
        case .refused, .notConnected: return sqlState.map { $0.isTransient } ?? (failure == .notConnected)
        case .notVerified, .notReplicated, .value, .settings: return false
        }
    }

    /// Whether the error proves that the transaction was rolled back. One that ends the connection does not: a pooler sends such errors
    /// too, which does not know how far the server has come.
    var isRolledBack: Bool {
        failure == .refused && !isFatal && sqlState != .completionUnknown && sqlState != .resolutionUnknown
    }

    /// Whether a row with the same key exists already; `constraint` says which key.
    package var isUniqueViolation: Bool { sqlState == .uniqueViolation }

    package var isFull: Bool { sqlState == .diskFull }
}

extension SQLState {
    /// Whether the failure passes by itself: conflicts of transactions, a server that stops, starts or changes its role, lost connections.
    fileprivate var isTransient: Bool {
        switch code {
        case "40001", "40P01", "55P03", "57P01", "57P02", "57P03", "57P05", "25P03", "53300", "25006", "26000": true
        // The rest of class 40 says that a transaction was rolled back for a reason that stays, or may have been committed.
        default: isOfClass("08")
        }
    }
}

extension PostgresError: CustomStringConvertible {
    /// One line for the operator: the words, the SQLSTATE, the remedy, and whether a commit is in doubt.
    package var description: String {
        let doubt = commitIsInDoubt ? "it is unknown whether the transaction was committed" : nil
        return [cause, remedy, doubt].compactMap { $0 }.joined(separator: "; ")
    }

    /// The same without the remedy, and without what concerns only the one who made the commit.
    package var cause: String {
        var text = message
        if let sqlState { text += " (SQLSTATE \(sqlState))" }
        if let constraint { text += ", constraint \(constraint)" }
        return text
    }
}
