/// The five characters by which PostgreSQL identifies an error (<https://www.postgresql.org/docs/15/errcodes-appendix.html>).
package struct SQLState: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The characters, such as `23505`: digits and capital letters.
    package let code: String

    /// Creates a state from a literal.
    package init(stringLiteral code: StaticString) {
        self.code = code.description
    }

    /// Parses a state; nil when it is not five digits or capital letters.
    init?(_ code: some StringProtocol) {
        guard code.utf8.count == 5, code.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }) else { return nil }
        self.code = String(code)
    }

    /// Whether the state belongs to a class, which is its first two characters.
    func isOfClass(_ name: StaticString) -> Bool {
        code.utf8.starts(with: name.description.utf8)
    }

    package var description: String { code }
}

extension SQLState {
    /// A row with this key already exists.
    package static let uniqueViolation: SQLState = "23505"
    /// The transaction conflicts with others (SERIALIZABLE, REPEATABLE READ).
    package static let serializationFailure: SQLState = "40001"
    /// Two transactions waited for each other, and this one was aborted.
    package static let deadlockDetected: SQLState = "40P01"
    /// The statement was cancelled: by a `CancelHandle`, an operator or `statement_timeout`.
    package static let queryCanceled: SQLState = "57014"
    /// The transaction is read-only, as on a standby.
    package static let readOnlyTransaction: SQLState = "25006"
    /// The transaction has failed, so the server rejects further statements.
    package static let failedTransaction: SQLState = "25P02"
    /// The password is wrong, or none was given.
    package static let invalidPassword: SQLState = "28P01"
    package static let diskFull: SQLState = "53100"
    static let completionUnknown: SQLState = "40003"
    static let resolutionUnknown: SQLState = "08007"
    static let unknownStatement: SQLState = "26000"
    static let featureNotSupported: SQLState = "0A000"
}
