internal import CPostgres
internal import Threading

/// Lets any thread cancel what a connection is doing, which then throws SQLSTATE 57014 there. It may outlive the connection.
// Sendable, because libpq lets any thread use a PGcancel, which never changes.
@safe
package final class CancelHandle: @unchecked Sendable {
    private let cancel: OpaquePointer
    /// Whether a request is on its way: one that is never answered must not be followed by others.
    private let isUnderWay = Monitor(false)

    init(owning cancel: OpaquePointer) {
        unsafe self.cancel = unsafe cancel
    }

    deinit {
        unsafe PQfreeCancel(cancel)
    }

    /// Asks the server, on a connection of its own that is not encrypted, to cancel the statement that runs now. What is not running any
    /// more is left alone; a statement that was sent meanwhile may be cancelled instead.
    /// - Returns: whether the server took the request in time, which does not say that it came in time for the statement. False also
    ///   while an earlier request has not been taken.
    /// - Throws: when the system has no room for another thread.
    package func cancel(by deadline: Deadline) throws(PostgresError) -> Bool {
        guard
            isUnderWay.withLock({ isUnderWay in
                defer { isUnderWay = true }
                return !isUnderWay
            })
        else { return false }
        // PQcancel waits as long as the server likes.
        let isTaken: Bool?
        do throws(PostgresError) {
            isTaken = try callBounded(by: deadline) { [self] in
                defer { isUnderWay.withLock { $0 = false } }
                return send()
            }
        } catch {
            isUnderWay.withLock { $0 = false }
            throw error
        }
        return isTaken ?? false
    }

    private func send() -> Bool {
        var complaint = [CChar](repeating: 0, count: 256)
        return unsafe PQcancel(cancel, &complaint, Int32(complaint.count)) == 1
    }
}
