internal import Configuration
internal import Core
package import HTTPServer
internal import JSON

/// One request of the admin listener, as data: `AdminListener` serves the table `all`, and the documentation is generated from it.
package struct AdminRoute: Sendable {
    package enum Role: String, Sendable {
        case anyone
        /// While only this machine reaches the listener and the configuration requires no token, every process that can connect; otherwise
        /// callers with the role `read`.
        case scrape
        /// Backends, which mint keys and report read messages.
        case mint
        case read
        case operate

        /// The role that a caller's token must have; nil when it needs no token.
        func token(metricsNeedToken: Bool) -> AdminToken.Role? {
            switch self {
            case .anyone: nil
            case .scrape: metricsNeedToken ? .read : nil
            case .mint: .mint
            case .read: .read
            case .operate: .operate
            }
        }
    }

    package struct Parameter: Sendable {
        /// The part of the request that contains it.
        package enum Place: String, Sendable {
            case path, query, body
        }

        package enum Kind: Sendable, Equatable {
            case text
            /// A text of this many UTF-16 code units without control characters.
            case line(ClosedRange<Int>)
            /// A text that matches this regular expression of ECMA-262.
            case matching(String)
            /// An identity of the help desk: a text, or in a body also a whole number.
            case identity
            case number(ClosedRange<Int64>)
            /// An integer in a range, or null, which means absent.
            case maybeNumber(ClosedRange<Int64>)
            /// An RFC 3339 time.
            case time
            case choice([String])
            /// `true`.
            case flag
            case fields
            case lines(ClosedRange<Int>)
        }

        package let name: String
        /// The part of the request that contains it.
        package let place: Place
        package let kind: Kind
        package let isRequired: Bool
        package let text: String

        init(_ name: String, place: Place, kind: Kind = .text, isRequired: Bool = false, text: String) {
            self.name = name
            self.place = place
            self.kind = kind
            self.isRequired = isRequired
            self.text = text
        }

        /// The same parameter in another part of the request, or of another type.
        func placed(_ place: Place, _ kind: Kind? = nil) -> Parameter {
            Parameter(name, place: place, kind: kind ?? self.kind, isRequired: isRequired, text: text)
        }
    }

    /// The answer to a successful request; every other answer is `{"error", "message"}`.
    package struct Answer: Sendable {
        /// 200 or 201.
        package let status: Int
        /// The members of its JSON object, in order; empty when the answer is not JSON.
        package let members: [String]
        /// The JSON Schemas of members, by name; `AdminSchema` has those of common members.
        let types: [String: JSONValue]
        package let text: String
        /// Error statuses that do not follow from its parameters and its role.
        package let refusals: [Int]
        /// The requests that accept an id from it.
        let links: [RouteDescription.Link]

        init(
            _ members: [String], _ types: [String: JSONValue] = [:], status: Int = 200, text: String, refusals: [Int] = [],
            links: [RouteDescription.Link] = []
        ) {
            self.links = links
            self.status = status
            self.members = members
            self.types = types
            self.text = text
            self.refusals = refusals
        }
    }

    enum Handling: Sendable {
        case fromMemory(@Sendable (borrowing Request, AdminCaller, AdminListener) -> Response)
        /// Decoded into an action, which runs on the store's thread; nil means an id that cannot exist.
        case fromStore(@Sendable (borrowing Request) throws(AdminProblem) -> (any AdminAction)?)
    }

    /// The largest request body, in bytes.
    static let bodyLimit = 16 * 1024

    package let method: HTTPServer.Method
    /// The path, with at most one `:parameter`.
    package let path: StaticString
    package let role: Role
    package let summary: String
    /// Any other parameter is rejected.
    package let parameters: [Parameter]
    package let answer: Answer
    let handling: Handling

    init(
        _ method: HTTPServer.Method, path: StaticString, role: Role, summary: String, parameters: [Parameter] = [],
        answer: Answer, handling: Handling
    ) {
        self.method = method
        self.path = path
        self.role = role
        self.summary = summary
        self.parameters = parameters
        self.answer = answer
        self.handling = handling
    }

    /// The table of all requests of the admin listener, from which `GET /openapi.json` describes them.
    package static let all: [AdminRoute] =
        [metrics, openAPI, KeyRequest.route, KeyRevocationAction.route, StatusAction.route, ExplainAction.route, ListenerProof.route]
        + [FindAction.route]
        + DeliveryAction.routes + DeviceAction.routes + RevocationAction.routes + PersonAction.routes
        + [ForgetAction.route, UserAction.route, SeenAction.route]
        + [DeadGroupsAction.route, NotifierStatus.route, NotifierTestAction.route, NotifierProofAction.route, NotifierPushAction.route]
        + [ShownConfigurationAction.route, ConfigurationChangesAction.route] + TicketAction.routes + BotCallAction.routes

    private static let metrics = AdminRoute(
        .get, path: "/metrics", role: .scrape, summary: "The metrics, in Prometheus' text format.",
        answer: Answer([], text: "The metrics."),
        handling: .fromMemory { _, _, listener in listener.metrics() })

    private static let openAPI = AdminRoute(
        .get, path: "/openapi.json", role: .anyone, summary: "This description of both listeners, as OpenAPI 3.1.",
        answer: Answer(
            ["openapi", "info", "servers", "tags", "paths", "components"],
            [
                "openapi": Schema.text, "info": AdminSchema.anyObject, "servers": Schema.array(AdminSchema.anyObject),
                "tags": Schema.array(AdminSchema.anyObject), "paths": AdminSchema.anyObject, "components": AdminSchema.anyObject,
            ], text: "The description."),
        handling: .fromMemory { _, _, listener in listener.services.openAPI() })
}
