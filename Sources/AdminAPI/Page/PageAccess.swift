package import Configuration
internal import HTTPServer

package enum PageAccess: Sendable {
    case open
    case off
    /// Other machines can reach the listener, and it has no TLS, so the token and the session could be intercepted.
    case needsTLS

    package init(_ configuration: Configuration) {
        let admin = configuration.admin
        self =
            if !configuration.operators.servesPage {
                .off
            } else {
                admin.isLocal || admin.listener.settings.tls != nil ? .open : .needsTLS
            }
    }

    private static let needsTLSAnswer = Response.error(
        403, code: "page_needs_tls",
        message:
            "The operators' page is served only on a loopback address, on a Unix socket or with TLS: set admin.tls, or listen on 127.0.0.1 and use ssh -L."
    )

    /// The answer that rejects every request of the page; nil when the page is served.
    var refusal: Response? {
        switch self {
        case .open: nil
        case .off: StandardResponse.notFound
        case .needsTLS: Self.needsTLSAnswer
        }
    }
}
