internal import Core
internal import HTTPServer

extension Language {
    /// The parameter of requests whose answers contain texts for people.
    static let parameter = AdminRoute.Parameter(
        "lang", place: .query, kind: .choice(allCases.map(\.rawValue)), text: "The language of the texts; English by default.")

    /// Parses the parameter; nil means English.
    init(parameter word: String?) throws(AdminProblem) {
        guard let word else {
            self = .english
            return
        }
        guard let language = Language(rawValue: word) else {
            throw AdminProblem(Self.parameter.name, "expected \(Self.allCases.map(\.rawValue).joined(separator: " or ")).")
        }
        self = language
    }

    /// The query items that select this language; empty for English, the default.
    var query: [(name: String, text: String)] { self == .english ? [] : [(Self.parameter.name, rawValue)] }

    /// Answers a request whose only parameter is the language.
    static func answer(_ request: borrowing Request, _ make: (Language) -> Response) -> Response {
        do throws(AdminProblem) {
            let values = try AdminQuery(request.queryItems()).values(of: [parameter])
            return make(try Language(parameter: values[parameter.name]))
        } catch {
            return .error(400, code: "malformed", message: error.message)
        }
    }
}
