/// The reason why a URL has no preview. The raw value is the result in metrics and logs.
package enum PreviewRefusal: String, Error, Sendable, CaseIterable {
    /// The URL, or one that it redirects to, is not http or https at port 80 or 443, or has credentials.
    case notAllowed = "not_allowed"
    /// An address of the host, or of one that it redirects to, is not public.
    case notPublic = "not_public"
    case unresolved
    case unreachable
    case timeout
    case redirects = "too_many_redirects"
    case status
    case notHTML = "not_html"
    /// The page has no title or no image.
    case incomplete

    /// The reason that an app receives. It must not reveal which names exist in Deskgate's network, so a host without a public address is
    /// reported as unreachable.
    package var reason: String {
        switch self {
        case .notPublic, .unresolved: Self.unreachable.rawValue
        default: rawValue
        }
    }

    package static var allReasons: [String] { allCases.map(\.reason).reduce(into: []) { if !$0.contains($1) { $0.append($1) } } }
}
