internal import CPostgres
internal import Glibc
internal import Threading
internal import Time

/// The moment by which a call must have ended, one for any number of calls that belong together.
package struct Deadline: Sendable {
    let moment: MonotonicMilliseconds

    /// A deadline so many milliseconds from now.
    package static func after(milliseconds: UInt64) -> Deadline {
        Deadline(moment: SystemClock.monotonicMilliseconds().saturating(adding: milliseconds))
    }

    /// The remaining milliseconds; 0 after the deadline.
    package var remainingMilliseconds: UInt64 {
        SystemClock.monotonicMilliseconds().remaining(until: moment)
    }

    package var isOver: Bool { remainingMilliseconds == 0 }

    /// An equal share of the remaining time for the first of `count` attempts, so that one without an answer leaves time for the others.
    /// - Parameter limitMilliseconds: the maximum share; nil is no limit.
    func share(of count: Int, limitMilliseconds: UInt64? = nil) -> Deadline {
        let share = remainingMilliseconds / UInt64(max(count, 1))
        return .after(milliseconds: min(share, limitMilliseconds ?? share))
    }
}

/// Waits for a socket, poll(2).
enum SocketWait {
    /// Waits until the socket is readable, which includes errors and its end, or writable when requested.
    /// - Returns: its readiness; nil after the deadline, even if it is ready: a peer that sends without end must not delay the caller.
    static func wait(_ socket: Int32, reading: Bool, writing: Bool, by deadline: Deadline) -> (read: Bool, write: Bool)? {
        let wanted = (reading ? POLLIN : 0) | (writing ? POLLOUT : 0)
        var entry = pollfd(fd: socket, events: Int16(wanted), revents: 0)
        while true {
            let remaining = deadline.remainingMilliseconds
            guard remaining > 0 else { return nil }
            // A signal is no reason to give up before the deadline.
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

/// Runs a call that nothing can interrupt, as name resolution, on a thread of its own, and waits for it only so long.
/// - Returns: its result; nil when the deadline came first. The thread then ends with the call, whenever that is.
/// - Throws: when the system has no room for another thread.
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
