internal import Crypto

/// Why a device's call cannot be read: answered 400, but for a failure of our own.
enum PushTokenMistake: Error {
    /// The body, or one of the fields that prove who calls.
    case unreadable(UnreadableBody)
    /// Another field is not as it must be.
    case unexpected(field: String, expectation: String)
    /// OpenSSL failed.
    case failed(CryptoError)

    /// The reason as it stands in the log.
    var reason: String {
        switch self {
        case .unreadable(let error): error.reason
        case .unexpected(let field, _): "bad_\(field)"
        case .failed(let error): error.description
        }
    }

    /// One sentence for the caller, without anything of the body.
    var message: String {
        switch self {
        case .unreadable(let error): error.message
        case .unexpected(let field, let expectation): "\(field) is not as expected: \(expectation)."
        case .failed(let error): error.description
        }
    }
}
