package import Core
package import Observability

extension Verdict {
    package var result: String {
        switch self {
        case .authorized: "authorized"
        case .malformed: "malformed"
        case .denied: "denied"
        case .shadowed: "shadowed"
        case .undecided, .unconfirmed: "undecided"
        }
    }

    /// The level of the log line. Only failures of Deskgate are errors, because error lines are never sampled.
    package var logLevel: LogLevel {
        switch self {
        case .authorized(_, isConfirmed: true), .unconfirmed: .debug
        case .malformed, .denied, .shadowed: .info
        case .authorized(_, isConfirmed: false), .undecided: self == .undecided(.internalError) ? .error : .warning
        }
    }
}
