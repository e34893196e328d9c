internal import CPOSIX
internal import Glibc

/// Receives the signals that operators send to the process, one at a time, on the thread that waits for them.
@safe
package final class Signals: Sendable {
    package enum Signal: Sendable, Equatable {
        /// SIGTERM or SIGINT.
        case stop
        /// SIGHUP: reload the configuration. The sender is the sender of the `ReloadRequest`; nil for a signal without a request.
        case reload(sender: ReloadSender?)
    }

    /// SI_QUEUE: the code of a signal that was sent with sigqueue(3).
    private static let queued: Int32 = -1

    /// A descriptor of signalfd(2), so that a thread can wait for signals and for another descriptor at once.
    private let descriptor: Int32

    /// Blocks the signals in this thread and in the threads that it starts later. Create the object before any other thread.
    /// - Throws: when the process cannot open another descriptor.
    package init() throws(SystemError) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        descriptor = unsafe shim_signalfd(&set)
        guard descriptor >= 0 else { throw SystemError.last }
    }

    deinit {
        close(descriptor)
    }

    /// Restores the default action of SIGTERM and SIGINT, so that a second signal during shutdown ends the process immediately.
    package func endAtOnce() {
        var ending = sigset_t()
        unsafe sigemptyset(&ending)
        for number in [SIGTERM, SIGINT] {
            // A process that was started in the background may have inherited SIGINT as ignored.
            signal(number, SIG_DFL)
            unsafe sigaddset(&ending, number)
        }
        unsafe pthread_sigmask(SIG_UNBLOCK, &ending, nil)
    }

    package func next() -> Signal {
        while true {
            if let signal = next(orReadable: nil, timeoutMilliseconds: nil) { return signal }
        }
    }

    /// Waits for the next signal, or until another descriptor is readable.
    /// - Parameter timeoutMilliseconds: nil for no limit.
    /// - Returns: the signal, which takes precedence over the descriptor; nil if no signal arrived.
    package func next(orReadable other: Int32?, timeoutMilliseconds: UInt64?) -> Signal? {
        // poll(2) ignores negative descriptors.
        var entries = [descriptor, other ?? -1].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let timeout = timeoutMilliseconds.map { Int32(clamping: $0) } ?? -1
        guard unsafe poll(&entries, nfds_t(entries.count), timeout) > 0, entries[0].revents != 0 else { return nil }
        // struct signalfd_siginfo has 128 bytes: the signal number, errno, the code, the process id, …, and at offset 44 the value that was
        // passed to sigqueue(3).
        var numbers = [UInt32](repeating: 0, count: 32)
        let size = numbers.count * MemoryLayout<UInt32>.size
        guard unsafe read(descriptor, &numbers, size) == size else { return nil }
        guard numbers[0] == UInt32(SIGHUP) else { return .stop }
        let isQueued = Int32(bitPattern: numbers[2]) == Self.queued
        let sender = ReloadSender(process: Int32(bitPattern: numbers[3]), number: Int32(bitPattern: numbers[11]))
        return .reload(sender: isQueued ? sender : nil)
    }
}
