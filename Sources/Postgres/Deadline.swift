internal import CPostgres
internal import Glibc
internal import Threading
internal import Time

/// The time by which a call must return. Several calls can share one deadline.
package struct Deadline: Sendable {
    let moment: MonotonicMilliseconds

    /// Creates a deadline at the given number of milliseconds from now.
    package static func after(milliseconds: UInt64) -> Deadline {
        Deadline(moment: SystemClock.monotonicMilliseconds().saturating(adding: milliseconds))
    }

    /// The remaining milliseconds; 0 after the deadline.
    package var remainingMilliseconds: UInt64 {
        SystemClock.monotonicMilliseconds().remaining(until: moment)
    }

    package var isOver: Bool { remainingMilliseconds == 0 }

    /// Returns the first attempt's equal share of the remaining time, so that an unanswered attempt leaves time for the others.
    /// - Parameter limitMilliseconds: the maximum share; nil for no limit.
    func share(of count: Int, limitMilliseconds: UInt64? = nil) -> Deadline {
        let share = remainingMilliseconds / UInt64(max(count, 1))
        return .after(milliseconds: min(share, limitMilliseconds ?? share))
    }
}

/// Waits for a socket with poll(2).
enum SocketWait {
    /// Waits until the socket is readable, which includes errors and its end, or writable when requested.
    /// - Returns: the readiness of the socket; nil after the deadline, even if the socket is ready, so that a peer that sends endlessly
    ///   cannot delay the caller.
    static func wait(_ socket: Int32, reading: Bool, writing: Bool, by deadline: Deadline) -> (read: Bool, write: Bool)? {
        let wanted = (reading ? POLLIN : 0) | (writing ? POLLOUT : 0)
        var entry = pollfd(fd: socket, events: Int16(wanted), revents: 0)
        while true {
            let remaining = deadline.remainingMilliseconds
            guard remaining > 0 else { return nil }
            // Continues to wait after an interruption by a signal.
            guard unsafe poll(&entry, 1, Int32(clamping: remaining)) > 0 else { continue }
            let ready = Int32(entry.revents)
            return (ready & ~POLLOUT != 0, ready & POLLOUT != 0)
        }
    }

    static func isReadable(_ socket: Int32) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 0) > 0
    }
}

/// Runs a call that cannot be interrupted, such as name resolution, on a separate thread, and waits for the result until the deadline.
/// - Returns: the result; nil at the deadline. The thread then continues until the call returns.
/// - Throws: when the system cannot create another thread.
func callBounded<Result: Sendable>(
    by deadline: Deadline, _ body: @escaping @Sendable () -> Result
) throws(PostgresError) -> Result? {
    let result = Monitor<Result?>(nil)
    do throws(ThreadError) {
        let thread = try DedicatedThread {
            let value = body()
            result.update { $0 = value }
        }
        thread.detach()
    } catch {
        throw PostgresError(.notConnected, error.description)
    }
    return result.wait(timeoutMilliseconds: deadline.remainingMilliseconds) { $0 }
}
