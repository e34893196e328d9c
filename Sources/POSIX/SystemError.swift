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
