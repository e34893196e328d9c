/// The value of a log field. Never a secret: nothing is masked on the way out.
package enum LogValue: Sendable {
    case string(String)
    case integer(Int)
    case boolean(Bool)
}
