internal import Bytes
internal import Configuration
internal import HTTPServer
internal import JSON

/// The query of an operator's request, decoded strictly.
struct AdminQuery {
    let items: [(name: String, text: String)]

    /// Decodes the percent escapes (RFC 3986 section 2.1); throws when the result is not UTF-8.
    init(_ items: [QueryItem]) throws(AdminProblem) {
        var decoded: [(name: String, text: String)] = []
        for item in items { decoded.append((try Self.text(item.name), try Self.text(item.value))) }
        self.items = decoded
    }

    static let page = [
        AdminRoute.Parameter("after", place: .query, text: "`next` of an earlier page, after which this one continues."),
        AdminRoute.Parameter("limit", place: .query, kind: .number(1...Int64(AdminAnswer.largestLimit)), text: "The maximum number."),
    ]

    /// The values by parameter name. Throws on any other name, and on a repeated one.
    func values(of parameters: [AdminRoute.Parameter]) throws(AdminProblem) -> [String: String] {
        var values: [String: String] = [:]
        for (name, text) in items {
            let known = try parameters.known(name)
            guard values.updateValue(text, forKey: known) == nil else { throw AdminProblem(known, "given twice.") }
        }
        return values
    }

    /// Parses `limit`.
    static func limit(_ text: String) throws(AdminProblem) -> Int {
        // The initialiser accepts a plus sign.
        guard let number = Int(text), text.utf8.first != UInt8(ascii: "+"), (1...AdminAnswer.largestLimit).contains(number) else {
            throw AdminProblem("limit", "expected a number from 1 to \(AdminAnswer.largestLimit).")
        }
        return number
    }

    private static func text(_ escaped: [UInt8]) throws(AdminProblem) -> String {
        guard let bytes = PercentEncoding.decoded(escaped.span) else {
            throw AdminProblem(nil, "The query has a % without two hexadecimal digits.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw AdminProblem(nil, "The query is not UTF-8.") }
        return text
    }
}

/// Parses the JSON object in the body of an operator's request, strictly.
enum AdminBody {
    /// Parses the object.
    /// - Parameter contents: the expected contents of the object in the error message; empty, or beginning with a space.
    static func object(_ body: Span<UInt8>, contents: String = "") throws(AdminProblem) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONDocument(parsing: body).value()
        } catch {
            throw AdminProblem(nil, "The body is not valid JSON: \(error).")
        }
        guard case .object(let object) = value else { throw AdminProblem(nil, "The body is JSON, but not an object\(contents).") }
        return object
    }
}

extension [AdminRoute.Parameter] {
    /// The known parameter with this name; throws when it is unknown.
    /// - Parameter kind: the word for a parameter in the error message.
    func known(_ name: String, as kind: String = "criterion") throws(AdminProblem) -> String {
        guard let known = first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            let names = map(\.name).joined(separator: ", ")
            throw AdminProblem(nil, "Unknown \(kind) \(printable(name)); known are \(names).")
        }
        return known.name
    }
}
