internal import CPOSIX
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
