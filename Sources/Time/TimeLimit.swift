internal import POSIX

/// The built-in time limits as they are in force.
///
/// A debug build multiplies them by the integer from 1 to 100 in the environment variable DESKGATE_TIME_LIMIT_FACTOR, so that tests pass on
/// a busy machine. Configured limits are not multiplied. A release build ignores the variable.
package enum TimeLimit {
    #if DEBUG
        private static let variable = "DESKGATE_TIME_LIMIT_FACTOR"

        // Read once, so that limits keep their order while the process lives.
        private static let factor: UInt64 = {
            guard let number = Self.number(in: Process.environment(variable)) else {
                preconditionFailure("\(variable) must be a whole number from 1 to 100")
            }
            return number
        }()

        /// Parses the factor: 1 without a text, nil when it is not an integer from 1 to 100.
        package static func number(in text: String?) -> UInt64? {
            guard let text else { return 1 }
            return UInt64(text).flatMap { (1...100).contains($0) ? $0 : nil }
        }

        package static func milliseconds(_ value: UInt64) -> UInt64 { value * factor }

        package static func milliseconds(_ value: Int) -> Int { value * Int(factor) }
    #else
        @inlinable package static func milliseconds(_ value: UInt64) -> UInt64 { value }

        @inlinable package static func milliseconds(_ value: Int) -> Int { value }
    #endif
}
