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

    static var last: SystemError {
        let code = errno
        guard code == EACCES || code == EPERM, let rights = Process.rightsInForce else { return SystemError(code: code) }
        return SystemError(code: code) { "\($0) \(rights)" }
    }

    /// The error for a name that exists already.
    package static var taken: SystemError { SystemError(code: EEXIST) }

    package var isMissing: Bool { code == ENOENT }
    package var isForbidden: Bool { code == EACCES || code == EPERM }
    package var isWithoutProcess: Bool { code == ESRCH }
    package var alreadyExists: Bool { code == EEXIST }
    package var isTooLarge: Bool { code == EFBIG }

    /// The system's message, such as `No such file or directory`, or a text with the remedy.
    package var description: String { explanation ?? Self.message(code) }

    private static func message(_ code: Int32) -> String {
        unsafe String(cString: strerror(code))
    }
}
