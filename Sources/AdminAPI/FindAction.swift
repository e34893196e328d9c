package import Core
internal import Crypto
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Time

/// Searches all apps for objects with a name: the request of the search box on the operators' page.
package struct FindAction: AdminAction, Equatable {
    /// The maximum number of devices in a page.
    private static let maximumDevices = 100

    private let name: String
    /// The requested kind; nil for all.
    private let kind: NameMatch.Kind?
    /// The user of the security key, if the name is one.
    private let userID: String?
    private let after: NameCursor?

    /// Checks the fields.
    /// - Parameters:
    ///   - kind: the name of a kind; nil for all.
    ///   - after: `next` of an earlier page.
    package init(query: String?, kind: String? = nil, userID: String? = nil, after: String? = nil) throws(AdminProblem) {
        guard let query, !query.isEmpty else { throw AdminProblem("query", "expected the name that is searched for.") }
        name = query
        self.kind = try kind.map { word throws(AdminProblem) in
            guard let kind = NameMatch.Kind(rawValue: word) else {
                throw AdminProblem("kind", "expected one of \(NameMatch.Kind.allCases.map(\.rawValue).joined(separator: ", ")).")
            }
            return kind
        }
        self.userID = try userID.map { text throws(AdminProblem) in try PersonFields.user(text) }
        self.after = try after.map { text throws(AdminProblem) in
            guard let cursor = NameCursor(text) else { throw AdminProblem("after", "expected the value of next from an earlier list.") }
            return cursor
        }
    }

    package var change: String? { nil }

    private func wants(_ kind: NameMatch.Kind) -> Bool { self.kind.map { $0 == kind } ?? true }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        // A security key is not a name, so the store is not searched for it.
        if let key = SecurityKey(name.utf8.span) {
            return Self.answer(wants(.securityKey) ? matches(of: key, context) : [], next: nil)
        }
        guard kind != .securityKey else { return Self.answer([], next: nil) }
        var found: [NameMatch] = []
        if after == nil {
            if wants(.delivery), let id = UUIDv7(name.lowercased()), let delivery = try context.store.story(of: id)?.delivery {
                let event = delivery.event
                // Only a delivery has such an id.
                return Self.answer([NameMatch(.delivery, in: .delivery, appID: event.identity.appID, userID: event.userID)], next: nil)
            }
            if wants(.user) { found = try formerUsers(context) }
        }
        let kinds = Set(NameMatch.Kind.allCases.filter(wants))
        let page = try context.store.search(for: NameQuery(name, kinds: kinds), after: after, limit: Self.maximumDevices)
        return Self.answer(found + page.matches, next: page.next)
    }

    /// The apps that have forgotten a user with this name, according to the revocations.
    private func formerUsers(_ context: AdminContext) throws(StoreError) -> [NameMatch] {
        let revocations = try context.revocations()
        do throws(CryptoError) {
            var found: [NameMatch] = []
            for app in context.state.names.apps where try revocations.isForgotten(appID: app.utf8.span, userID: name.utf8.span) {
                found.append(NameMatch(.user, in: .former, appID: app, userID: name))
            }
            return found
        } catch {
            throw StoreError(.unavailable, error.description)
        }
    }

    /// The apps that have a secret with the id in a key; first those whose secret has signed this key for the user.
    private func matches(of key: SecurityKey, _ context: AdminContext) -> [NameMatch] {
        let authorizer = context.state.authorizer
        var (genuine, others) = ([NameMatch](), [NameMatch]())
        for app in context.state.names.apps {
            guard let index = authorizer.index(of: app.utf8.span),
                authorizer.applications[index].keys.contains(where: { $0.id == key.keyID })
            else { continue }
            if isGenuine(in: app, authorizer, context) {
                genuine.append(NameMatch(.securityKey, in: .signature, appID: app, userID: userID))
            } else {
                others.append(NameMatch(.securityKey, in: .keyID, appID: app))
            }
        }
        return genuine + others
    }

    /// Whether a secret of the app has signed the key for the user.
    private func isGenuine(in app: String, _ authorizer: Authorizer, _ context: AdminContext) -> Bool {
        guard let userID else { return false }
        let decision = authorizer.authorize(
            appID: app.utf8.span, userID: userID.utf8.span, securityKey: name.utf8.span, now: context.now.seconds, revocations: .none)
        if case .denied(.wrongMac, _) = decision.verdict { return false }
        return decision.verdict.keyID != nil
    }
}

extension FindAction {
    private static let members = ["kind", "app_id", "user_id", "found_in"]

    private static func answer(_ matches: [NameMatch], next: NameCursor?) -> AdminAnswer {
        var things: [(match: NameMatch, sources: [NameMatch.Source])] = []
        var places: [NameMatch: Int] = [:]
        for match in matches {
            // The source makes no other thing.
            let thing = NameMatch(match.kind, in: .delivery, appID: match.appID, userID: match.userID)
            if let place = places[thing] {
                things[place].sources.append(match.source)
            } else {
                places[thing] = things.count
                things.append((match, [match.source]))
            }
        }
        return AdminAnswer([
            "found": .array(
                things.map { match, sources in
                    [
                        "kind": .string(match.kind.rawValue), "app_id": .string(match.appID),
                        "user_id": match.userID.map { .string($0) } ?? .null, "found_in": .array(sources.map { .string($0.rawValue) }),
                    ]
                }),
            "next": next.map { .string($0.description) } ?? .null,
        ])
    }
}

/// The mapping to the request of the admin listener, in both directions.
extension FindAction {
    private static let path: StaticString = "/v1/find"
    private static let parameters = [
        AdminRoute.Parameter("query", place: .query, isRequired: true, text: "The name: the id of any object, or a security key."),
        AdminRoute.Parameter(
            "kind", place: .query, kind: .choice(NameMatch.Kind.allCases.map(\.rawValue)),
            text: "The kind of the named object; any kind by default."),
        AdminRoute.Parameter("user_id", place: .query, text: "The user of the security key."),
        AdminQuery.page[0],
    ]

    static let route = AdminRoute(
        .get, path: path, role: .read, summary: "Searches all apps for an identifier.", parameters: parameters,
        answer: AdminRoute.Answer(
            ["found", "next"],
            [
                "found": Schema.array(
                    AdminSchema.object(
                        members,
                        [
                            "kind": Schema.choice(of: NameMatch.Kind.self), "user_id": AdminSchema.maybeText,
                            "found_in": Schema.array(Schema.choice(of: NameMatch.Source.self)),
                        ]))
            ],
            text:
                "The matches with the kind of each object, and the position of the next page; null at the end. A page may have no match.",
            links: .person("/found/0")),
        handling: .fromStore { request throws(AdminProblem) in
            let values = try AdminQuery(request.queryItems()).values(of: parameters)
            return .some(
                try FindAction(query: values["query"], kind: values["kind"], userID: values["user_id"], after: values["after"]))
        })

    package var request: AdminRequest {
        let texts = [
            ("query", name), ("kind", kind?.rawValue), ("user_id", userID), ("after", after?.description),
        ]
        return AdminRequest(.get, "\(Self.path)", query: texts.compactMap { name, text in text.map { (name, $0) } })
    }
}

/// The text of a cursor, opaque to callers: of a device app, user and device, separated by NUL, which none contains.
extension NameCursor {
    fileprivate init?(_ text: String) {
        let rest = String(text.dropFirst())
        switch text.first {
        case "e":
            guard let number = Int64(rest), number >= 0, "\(number)" == rest else { return nil }
            self = .events(before: number)
        case "d":
            let parts = Base64URL.decode(rest)?.split(separator: 0, omittingEmptySubsequences: false) ?? []
            let texts = parts.compactMap { String(validating: $0, as: UTF8.self) }
            guard texts.count == 3, parts.count == 3 else { return nil }
            self = .devices(after: Device.Key(appID: texts[0], userID: texts[1], deviceID: texts[2]))
        default: return nil
        }
    }

    fileprivate var description: String {
        switch self {
        case .events(let number): "e\(number)"
        case .devices(let key):
            "d" + Base64URL.encode((Array(key.appID.utf8) + [0] + Array(key.userID.utf8) + [0] + Array(key.deviceID.utf8)).span)
        }
    }
}
