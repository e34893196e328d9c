internal import CPostgres
internal import Threading

/// Lets any thread cancel the current statement of a connection. The cancelled call throws SQLSTATE 57014. The handle may outlive the
/// connection.
// Sendable, because a PGcancel is immutable and libpq lets any thread use it.
@safe
package final class CancelHandle: @unchecked Sendable {
    private let cancel: OpaquePointer
    /// Whether a request is in progress. While the server does not answer a request, no further requests are sent.
    private let isUnderWay = Monitor(false)

    init(owning cancel: OpaquePointer) {
        unsafe self.cancel = unsafe cancel
    }

    deinit {
        unsafe PQfreeCancel(cancel)
    }

    /// Requests the cancellation of the current statement, on a separate, unencrypted connection. Has no effect if the statement has ended;
    /// if another statement was sent meanwhile, that statement may be cancelled instead.
    /// - Returns: whether the server accepted the request in time, even if the statement had already ended. Also false while an earlier
    ///   request is in progress.
    /// - Throws: when the system cannot create another thread.
    package func cancel(by deadline: Deadline) throws(PostgresError) -> Bool {
        guard
            isUnderWay.withLock({ isUnderWay in
                defer { isUnderWay = true }
                return !isUnderWay
            })
        else { return false }
        // PQcancel has no timeout.
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
