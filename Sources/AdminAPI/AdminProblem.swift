/// A mistake in an operator's request, for the caller; it never contains a value.
package struct AdminProblem: Error, Equatable {
    /// The parameter at fault; nil for the whole request.
    package let field: String?
    private let sentence: Sentence

    init(_ field: String?, _ sentence: Sentence) {
        self.field = field
        self.sentence = sentence
    }

    /// The sentence, after the parameter's name if there is one, for callers that send parameters.
    package var message: String {
        let text = text { $0 }
        return field.map { "\($0): \(text)" } ?? text
    }

    /// The sentence without the name of the parameter at fault.
    /// - Parameter name: gives the caller's name of a parameter, such as the option of a command.
    package func text(naming name: (String) -> String) -> String { sentence.parts.map { $0.text(name) }.joined() }

    /// A sentence that refers to other parameters with `\(field: "user_id")`, because a command line has other names for them.
    struct Sentence: Equatable, ExpressibleByStringInterpolation {
        fileprivate let parts: [Part]

        init(stringLiteral text: String) { parts = [.words(text)] }

        init(stringInterpolation: Interpolation) { parts = stringInterpolation.parts }

        fileprivate enum Part: Equatable {
            case words(String)
            case field(String)

            func text(_ name: (String) -> String) -> String {
                switch self {
                case .words(let text): text
                case .field(let field): name(field)
                }
            }
        }

        struct Interpolation: StringInterpolationProtocol {
            fileprivate var parts: [Part] = []

            init(literalCapacity: Int, interpolationCount: Int) { parts.reserveCapacity(2 * interpolationCount + 1) }

            mutating func appendLiteral(_ text: String) { parts.append(.words(text)) }

            mutating func appendInterpolation(_ value: some CustomStringConvertible) { parts.append(.words(value.description)) }

            mutating func appendInterpolation(field: String) { parts.append(.field(field)) }
        }

        typealias StringInterpolation = Interpolation
    }
}
