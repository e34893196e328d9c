internal import CPostgres

/// A notification that another session sent by NOTIFY to a channel of this one.
package struct Notification: Equatable, Sendable {
    package let channel: String
    /// The text that came with it; empty when there was none.
    package let payload: String
}

extension Connection {
    /// Waits for the next notification of the channels that `LISTEN` has been run for. Those that came during other calls count, too.
    ///
    /// Behind a pooler that changes sessions between transactions none ever comes.
    /// - Returns: nil when the deadline came first; the connection is as before.
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
