internal import Glibc

/// Why the operating system refused something.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The errno value.
    package let code: Int32

    /// The error that the last failed call left behind.
    static var last: SystemError { SystemError(code: errno) }

    /// What a call says where a name is taken.
    package static var taken: SystemError { SystemError(code: EEXIST) }

    /// The file or directory does not exist.
    package var isMissing: Bool { code == ENOENT }
    /// The file or directory exists already.
    package var alreadyExists: Bool { code == EEXIST }
    /// The file is larger than was allowed.
    package var isTooLarge: Bool { code == EFBIG }

    /// The system's own words, such as `No such file or directory`.
    package var description: String {
        unsafe String(cString: strerror(code))
    }
}

/// The signals that operators send, taken one by one by the thread that waits for them.
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

    /// Holds the signals back from now on, in this thread and in those that it starts later: make it before any thread.
    package init() {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&set, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        self.set = set
    }

    /// Lets SIGTERM and SIGINT end the process from now on, whatever it is doing: for who asks a second time while it stops.
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

    /// Waits for the next signal.
    package func next() -> Signal {
        var set = set
        var number: Int32 = 0
        while unsafe sigwait(&set, &number) != 0 {}
        return number == SIGHUP ? .reload : .stop
    }
}
