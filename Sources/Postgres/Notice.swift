internal import CPostgres

/// An unsolicited message of the server: a notice, a warning, or the reason why the server ends an idle connection.
package struct Notice: Equatable, Sendable {
    /// The severity in English, whatever the server's language: `WARNING`, `NOTICE`, `INFO`, `LOG`, `DEBUG`, `FATAL`.
    package let severity: String
    /// The SQLSTATE; `01000` for a warning without a specific code.
    package let sqlState: SQLState?
    /// The primary message, in the server's language.
    package let message: String
    /// The server's C function that reported the notice. Only this field distinguishes warnings with the same SQLSTATE in every language.
    let sourceFunction: String?

    init(_ fields: ResultFields) {
        severity = fields.severity ?? ""
        sqlState = fields.sqlState
        message = fields.message
        sourceFunction = fields[DESKGATE_PG_SOURCE_FUNCTION]
    }

    /// Whether the notice is a warning. The server reports a commit that was not replicated as a warning.
    package var isWarning: Bool { severity == "WARNING" }

    /// Whether the server ends the connection after this message.
    var isFatal: Bool { severity == "FATAL" || severity == "PANIC" }

    /// Whether a commit took effect but its wait for the synchronous standby was cancelled: `SyncRepWaitForLSN` of PostgreSQL's syncrep.c
    /// warns and lets the commit succeed.
    var isUnreplicatedCommit: Bool { isWarning && sourceFunction == "SyncRepWaitForLSN" }
}

/// Collects the notices of a connection while libpq reads, until the connection takes them. Only the connection's thread may use it.
final class NoticeCollector {
    // Limits the memory for the notices of a server that sends them endlessly.
    private static let limit = 100

    private var notices: [Notice] = []
    /// The reason why the server ended the connection, which may have arrived long before the connection is used again.
    private(set) var ending: Notice?

    /// Makes libpq pass the connection's notices to this collector instead of writing them to standard error. The collector must outlive
    /// the connection.
    func attach(to handle: OpaquePointer) {
        _ = unsafe PQsetNoticeReceiver(handle, receiveNotice, Unmanaged.passUnretained(self).toOpaque())
    }

    func take() -> [Notice] {
        defer { notices = [] }
        return notices
    }

    fileprivate func add(_ notice: Notice) {
        if notice.isFatal { ending = notice }
        if notices.count < Self.limit { notices.append(notice) }
    }
}

private func receiveNotice(_ collector: UnsafeMutableRawPointer?, _ result: OpaquePointer?) {
    guard let collector = unsafe collector, let result = unsafe result else { return }
    unsafe Unmanaged<NoticeCollector>.fromOpaque(collector).takeUnretainedValue().add(Notice(ResultFields(result)))
}

/// The fields of an error or a notice. They refer to the memory of the result, so this value must not outlive the result.
@safe struct ResultFields {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) {
        unsafe self.result = unsafe result
    }

    /// Returns the text of one field; nil when the server did not send it.
    subscript(_ field: some BinaryInteger) -> String? {
        guard let text = unsafe PQresultErrorField(result, Int32(field)) else { return nil }
        return unsafe String(cString: text)
    }

    var severity: String? { self[DESKGATE_PG_SEVERITY] }
    var sqlState: SQLState? { self[DESKGATE_PG_SQLSTATE].flatMap { SQLState($0) } }

    var message: String { firstLine(self[DESKGATE_PG_MESSAGE] ?? "the server gave no reason") }
}

/// Returns the first line of a message of libpq or the server, without the line break.
func firstLine(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).first.map { String($0) } ?? ""
}
