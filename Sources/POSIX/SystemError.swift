internal import Glibc

/// An error of the operating system.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The errno value.
    package let code: Int32

    /// The error of the last failed call.
    static var last: SystemError { SystemError(code: errno) }

    /// The error for a name that exists already.
    package static var taken: SystemError { SystemError(code: EEXIST) }

    /// The file or directory does not exist.
    package var isMissing: Bool { code == ENOENT }
    /// The file or directory exists already.
    package var alreadyExists: Bool { code == EEXIST }
    /// The file is larger than the limit.
    package var isTooLarge: Bool { code == EFBIG }

    /// The system's message, such as `No such file or directory`.
    package var description: String {
        unsafe String(cString: strerror(code))
    }
}

/// The signals from operators; the thread that waits for them gets them one by one.
@safe
package struct Signals: Sendable {
    /// A signal with a meaning here.
    package enum Signal: Sendable, Equatable {
        /// SIGTERM or SIGINT: stop.
        case stop
        /// SIGHUP: read the configuration again.
        case reload
    }

    private let set: sigset_t

    /// Blocks the signals in this thread and in the threads that it starts later: create it before any thread.
    package init() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        self.set = set
    }

    /// From now on SIGTERM and SIGINT end the process at once, for an operator who sends a second signal while it stops.
    package func endAtOnce() {
        var ending = sigset_t()
        unsafe sigemptyset(&ending)
        for number in [SIGTERM, SIGINT] {
            // A process started in the background may have inherited SIGINT as ignored.
            signal(number, SIG_DFL)
            unsafe sigaddset(&ending, number)
        }
        unsafe pthread_sigmask(SIG_UNBLOCK, &ending, nil)
    }

    /// Waits for the next signal.
    package func next() -> Signal {
        var set = set
        var number: Int32 = 0
        while unsafe sigwait(&set, &number) != 0 {}
        return number == SIGHUP ? .reload : .stop
    }
}
