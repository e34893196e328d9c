internal import Core
package import HTTPServer
internal import JSON

/// One request that the admin listener answers, as data: `AdminListener` serves the table `all`, and documentation is written from it.
package struct AdminRoute: Sendable {
    /// Who may ask.
    package enum Role: String, Sendable {
        /// Whoever reaches the listener.
        case anyone
        /// Whoever reaches the listener from this machine, unless the configuration demands the token.
        case scrape
        /// Backends that mint keys.
        case mint
        /// Operators who look.
        case read
        /// Operators who change something.
        case operate
    }

    /// A value that the request takes.
    package struct Parameter: Sendable {
        /// Where it stands.
        package enum Place: String, Sendable {
            case path, query, body
        }

        /// What it looks like.
        package enum Kind: Sendable, Equatable {
            /// Any text.
            case text
            /// A whole number in a range.
            case number(ClosedRange<Int64>)
            /// A time of RFC 3339.
            case time
            /// One of these words.
            case choice([String])
            /// `true`.
            case flag
        }

        /// Its name.
        package let name: String
        /// Where it stands.
        package let place: Place
        /// What it looks like.
        package let kind: Kind
        /// Whether the request is refused without it.
        package let isRequired: Bool
        /// What it means, in one sentence.
        package let text: String

        init(_ name: String, _ place: Place, _ kind: Kind = .text, isRequired: Bool = false, text: String) {
            self.name = name
            self.place = place
            self.kind = kind
            self.isRequired = isRequired
            self.text = text
        }

        /// The same value in another place.
        func placed(_ place: Place) -> Parameter { Parameter(name, place, kind, isRequired: isRequired, text: text) }
    }

    /// The answer to a request that was carried out; every other answer is `{"error", "message"}`.
    package struct Answer: Sendable {
        /// 200 or 201.
        package let status: Int
        /// The members of its JSON object, in their order; empty when the answer is no JSON.
        package let members: [String]
        /// What it says, in one sentence.
        package let text: String

        init(_ members: [String], status: Int = 200, text: String) {
            self.status = status
            self.members = members
            self.text = text
        }
    }

    enum Handling: Sendable {
        /// Answered at once, from memory.
        case fromMemory(@Sendable (borrowing Request, AdminListener) -> Response)
        /// Read into an action, which is carried out on the store's thread; nil is an id that nothing can have.
        case fromStore(@Sendable (borrowing Request) throws(AdminProblem) -> (any AdminAction)?)
    }

    /// The largest body of a request that has one, in bytes.
    static let bodyLimit = 16 * 1024

    /// The method.
    package let method: HTTPServer.Method
    /// The path, with at most one `:parameter`.
    package let path: StaticString
    /// Who may ask.
    package let role: Role
    /// What it does, in one sentence.
    package let summary: String
    /// What it takes; anything else is refused.
    package let parameters: [Parameter]
    /// What it answers.
    package let answer: Answer
    let handling: Handling

    init(
        _ method: HTTPServer.Method, _ path: StaticString, _ role: Role, summary: String, _ parameters: [Parameter] = [],
        answer: Answer, _ handling: Handling
    ) {
        self.method = method
        self.path = path
        self.role = role
        self.summary = summary
        self.parameters = parameters
        self.answer = answer
        self.handling = handling
    }

    /// Every request that the admin listener answers.
    package static let all: [AdminRoute] =
        [metrics, KeyRequest.route, StatusAction.route, ListenerProof.route] + DeliveryAction.routes + DeviceAction.routes

    private static let metrics = AdminRoute(
        .get, "/metrics", .scrape, summary: "The metrics, in Prometheus' text format.", answer: Answer([], text: "The metrics."),
        .fromMemory { _, listener in listener.metrics() })
}
