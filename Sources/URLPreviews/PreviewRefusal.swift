/// The reason why a URL has no preview. The raw value is the result in metrics and logs.
package enum PreviewRefusal: String, Error, Sendable, CaseIterable {
    /// The URL, or one that it redirects to, is not http or https at port 80 or 443, or has credentials.
    case notAllowed = "not_allowed"
    /// An address of the host, or of one that it redirects to, is not public.
    case notPublic = "not_public"
    /// The host's name has no address.
    case unresolved
    /// The connection or the exchange failed.
    case unreachable
    case timeout
    case redirects = "too_many_redirects"
    case status
    /// It is not `text/html`.
    case notHTML = "not_html"
    /// It has no title or no image.
    case incomplete

    /// The reason in the app's answer. It must not reveal which names exist inside our network, so a name without a public address counts
    /// as unreachable.
    package var reason: String {
        switch self {
        case .notPublic, .unresolved: Self.unreachable.rawValue
        default: rawValue
        }
    }

    /// All reasons in apps' answers.
    package static var allReasons: [String] { allCases.map(\.reason).reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
