internal import CPOSIX
internal import Glibc

package struct SystemError: Error, Equatable, CustomStringConvertible {
    package let code: Int32
    /// The text in place of the system's message; nil for that alone.
    private let explanation: String?

    init(code: Int32) {
        (self.code, explanation) = (code, nil)
    }

    /// - Parameter explain: makes the text from the system's message.
    init(code: Int32, _ explain: (String) -> String) {
        (self.code, explanation) = (code, explain(Self.message(code)))
    }

    /// The error of the last failed call.
    static var last: SystemError {
        let code = errno
        guard code == EACCES || code == EPERM, let rights = Process.rightsInForce else { return SystemError(code: code) }
        return SystemError(code: code) { "\($0) \(rights)" }
    }

    /// The error for a name that exists already.
    package static var taken: SystemError { SystemError(code: EEXIST) }

    /// The file or directory does not exist.
    package var isMissing: Bool { code == ENOENT }
    /// This user may not do it.
    package var isForbidden: Bool { code == EACCES || code == EPERM }
    /// There is no such process.
    package var isWithoutProcess: Bool { code == ESRCH }
    /// The file or directory exists already.
    package var alreadyExists: Bool { code == EEXIST }
    /// The file is larger than the limit.
    package var isTooLarge: Bool { code == EFBIG }

    /// The system's message, such as `No such file or directory`, or a text with the remedy.
    package var description: String { explanation ?? Self.message(code) }

    private static func message(_ code: Int32) -> String {
        unsafe String(cString: strerror(code))
    }
}
