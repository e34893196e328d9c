internal import CPostgres

/// A notification that NOTIFY sent to a channel of this session.
package struct Notification: Equatable, Sendable {
    package let channel: String
    /// The payload of NOTIFY; empty when it has none.
    package let payload: String
}

extension Connection {
    /// Waits for the next notification on the channels for which the session has run `LISTEN`. Returns notifications that arrived during
    /// other calls, too.
    ///
    /// Behind a pooler that changes sessions between transactions, notifications never arrive.
    /// - Returns: nil at the deadline; the connection remains usable.
    /// - Throws: when the connection broke.
    package func waitForNotification(by deadline: Deadline) throws(PostgresError) -> Notification? {
        let handle = unsafe try openHandle()
        while true {
            unsafe try checkIsOpen(handle)
            passOnNotices()
            if let notification = unsafe PQnotifies(handle) {
                defer { unsafe PQfreemem(notification) }
                return unsafe Notification(
                    channel: String(cString: notification.pointee.relname), payload: String(cString: notification.pointee.extra))
            }
            let socket = unsafe PQsocket(handle)
            if SocketWait.wait(socket, reading: true, writing: false, by: deadline) == nil { return nil }
        }
    }
}
