/// What is wrong with a form; it never holds anything of the form itself.
package enum FormError: Error, CustomStringConvertible {
    case badEscape
    case invalidUTF8(StaticString)
    case duplicate(StaticString)
    case missing(StaticString)

    /// The mistake in words, such as `user_id is missing`.
    package var description: String {
        switch self {
        case .badEscape: "the form holds a % without two hexadecimal digits"
        case .invalidUTF8(let name): "\(name) is not valid UTF-8"
        case .duplicate(let name): "\(name) is given twice"
        case .missing(let name): "\(name) is missing"
        }
    }
}
