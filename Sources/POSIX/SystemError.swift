internal import CPOSIX
internal import Glibc

package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The errno value.
    package let code: Int32
    /// A description that replaces the system's message; nil to use the system's message.
    private let explanation: String?

    init(code: Int32) {
        (self.code, explanation) = (code, nil)
    }

    /// - Parameter explain: converts the system's message to the description.
    init(code: Int32, _ explain: (String) -> String) {
        (self.code, explanation) = (code, explain(Self.message(code)))
    }

    /// The error of the last failed call. If access was denied, the description also contains the effective rights.
    static var last: SystemError {
        let code = errno
        guard code == EACCES || code == EPERM, let rights = Process.rightsInForce else { return SystemError(code: code) }
        return SystemError(code: code) { "\($0) \(rights)" }
    }

    package static var taken: SystemError { SystemError(code: EEXIST) }

    package var isMissing: Bool { code == ENOENT }
    package var isForbidden: Bool { code == EACCES || code == EPERM }
    package var isNoSuchProcess: Bool { code == ESRCH }
    package var alreadyExists: Bool { code == EEXIST }
    package var isTooLarge: Bool { code == EFBIG }

    /// The system's message, such as `No such file or directory`, or a description with the remedy.
    package var description: String { explanation ?? Self.message(code) }

    private static func message(_ code: Int32) -> String {
        unsafe String(cString: strerror(code))
    }
}
