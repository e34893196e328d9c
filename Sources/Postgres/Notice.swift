internal import CPostgres

/// An unrequested message of the server: a notice, a warning, or why it ends an idle connection.
package struct Notice: Equatable, Sendable {
    /// The severity in English, whatever the server's language: `WARNING`, `NOTICE`, `INFO`, `LOG`, `DEBUG`, `FATAL`.
    package let severity: String
    /// `01000` for a warning without one of its own.
    package let sqlState: SQLState?
    /// The primary message, in the server's language.
    package let message: String
    /// The server's function that reported it, the only way to distinguish warnings of one SQLSTATE in any language.
    let sourceFunction: String?

    init(_ fields: ResultFields) {
        severity = fields.severity ?? ""
        sqlState = fields.sqlState
        message = fields.message
        sourceFunction = fields[DESKGATE_PG_SOURCE_FUNCTION]
    }

    /// Whether it is a warning, the form in which the server reports a commit that was not replicated.
    package var isWarning: Bool { severity == "WARNING" }

    /// Whether the server ends the connection with it.
    var isFatal: Bool { severity == "FATAL" || severity == "PANIC" }

    /// Whether a commit took effect but its wait for the synchronous standby was cancelled: `SyncRepWaitForLSN` of PostgreSQL's syncrep.c
    /// warns and lets the commit succeed.
    var isUnreplicatedCommit: Bool { isWarning && sourceFunction == "SyncRepWaitForLSN" }
}

/// Gathers a connection's notices while libpq reads, until the connection takes them. Belongs to the connection's thread.
final class NoticeCollector {
    // A server that talks without end must not take all memory.
    private static let limit = 100

    private var notices: [Notice] = []
    /// The reason why the server ended the connection, which may have arrived long before the connection is used again.
    private(set) var ending: Notice?

    /// Has libpq hand the connection's notices in here, instead of writing them to standard error. It must outlive the connection.
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

/// The fields of an error or a notice; lends its result's memory, so it must not outlive the result.
@safe struct ResultFields {
    private let result: OpaquePointer

    init(_ result: OpaquePointer) {
        unsafe self.result = unsafe result
    }

    /// One field's text; nil when the server did not send it.
    subscript(_ field: some BinaryInteger) -> String? {
        guard let text = unsafe PQresultErrorField(result, Int32(field)) else { return nil }
        return unsafe String(cString: text)
    }

    var severity: String? { self[DESKGATE_PG_SEVERITY] }
    var sqlState: SQLState? { self[DESKGATE_PG_SQLSTATE].flatMap { SQLState($0) } }

    var message: String { firstLine(self[DESKGATE_PG_MESSAGE] ?? "the server gave no reason") }
}

/// The first line of a message of libpq or the server, without its end.
func firstLine(_ message: String) -> String {
    message.split(whereSeparator: \.isNewline).first.map { String($0) } ?? ""
}
