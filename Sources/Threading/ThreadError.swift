internal import Glibc

/// The system had no room for another thread.
package struct ThreadError: Error, Equatable, CustomStringConvertible {
    /// The error number that pthread_create(3) returned.
    package let code: Int32

    /// One line for a person.
    package var description: String {
        "cannot start a thread: \(unsafe String(cString: strerror(code))); raise the limit of processes (ulimit -u)"
    }
}
