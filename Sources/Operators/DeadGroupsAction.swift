internal import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Notifiers
internal import Time

/// Counts dead deliveries by notifier and reason. The store has the numbers for notifiers, apps and reasons. For other criteria it looks at
/// the deliveries, the newest first, for a limited time.
struct DeadGroupsAction: AdminAction {
    private static let pageLength = 1000
    /// After how many milliseconds no further page is counted.
    private static let milliseconds: UInt64 = TimeLimit.milliseconds(2000)
    private static let path: StaticString = "/v1/deliveries/reasons"
    private static let parameters = DeliveryCriteria.parameters.filter { $0.name != "state" }
    private static let all = parameters + [Language.parameter]

    /// The route.
    static let route = AdminRoute(
        .get, path, .read, summary: "The dead deliveries that match, counted by notifier and reason.", all,
        answer: AdminRoute.Answer(
            ["groups", "counted", "complete"],
            [
                "groups": Schema.array(
                    Schema.object([
                        ("notifier", Schema.text), ("reason", Schema.text), ("count", AdminSchema.count), ("oldest", Schema.time),
                        ("newest", Schema.time), ("meaning", Schema.text), ("remedy", AdminSchema.maybeText),
                    ])), "counted": AdminSchema.count, "complete": AdminSchema.flag,
            ],
            text:
                "The groups, the largest first, each with the time of its oldest and its newest event, what its reason means and what to do; "
                + "how many deliveries were counted; "
                + "and whether these are all. They always are where the only criteria are notifier, reason and app_id; for others the newest are "
                + "counted, as many as two seconds allow."),
        .fromStore { request throws(AdminProblem) in
            var (criteria, language): (DeliveryCriteria, String?) = (DeliveryCriteria(), nil)
            for (name, text) in try AdminQuery(request.queryItems()).items {
                if try all.known(name) == Language.parameter.name {
                    language = text
                } else {
                    try criteria.add(name, text)
                }
            }
            return DeadGroupsAction(filter: criteria.filter, language: try Language(parameter: language))
        })

    fileprivate struct Name: Hashable {
        let notifier, reason: ByteKey
    }

    fileprivate struct Group {
        var count = 0
        var oldest = UnixMilliseconds.max
        var newest: UnixMilliseconds = 0
    }

    private var filter: DeliveryFilter
    private let language: Language

    private init(filter: DeliveryFilter, language: Language) {
        self.language = language
        self.filter = filter
        self.filter.state = .dead
    }

    /// As `AdminAction` says.
    var request: AdminRequest {
        let criteria = DeliveryCriteria.texts(of: filter).filter { $0.name != "state" }
        return AdminRequest(.get, "\(Self.path)", query: criteria + [(Language.parameter.name, language.rawValue)])
    }

    /// Nil: it changes nothing.
    var change: String? { nil }

    /// As `AdminAction` says.
    func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        let (groups, isComplete) = filter.isOfDeadCounts ? (try counted(in: context.store), true) : try found(in: context.store)
        let sorted = groups.sorted {
            $0.value.count != $1.value.count
                ? $0.value.count > $1.value.count : ($0.key.notifier, $0.key.reason) < ($1.key.notifier, $1.key.reason)
        }
        return AdminAnswer([
            "groups": .array(sorted.map { .object($0.value.json(of: $0.key, meaning(of: $0.key, context))) }),
            "counted": .integer(Int64(groups.values.reduce(0) { $0 + $1.count })),
            "complete": .bool(isComplete),
        ])
    }

    /// The groups as the store counts them.
    private func counted(in store: any Store) throws(StoreError) -> [Name: Group] {
        var groups: [Name: Group] = [:]
        for dead in try store.dead() where filter.matches(dead) {
            let name = Name(notifier: ByteKey(dead.notifier), reason: ByteKey(dead.reason))
            groups[name, default: Group()].add(dead.count, from: dead.oldestReceivedAt, to: dead.newestReceivedAt)
        }
        return groups
    }

    /// The groups of the deliveries that a search finds in the time that it has.
    private func found(in store: any Store) throws(StoreError) -> (groups: [Name: Group], isComplete: Bool) {
        var groups: [Name: Group] = [:]
        var next: DeliveryCursor?
        let end = SystemClock.monotonicMilliseconds() + Self.milliseconds
        repeat {
            let page = try store.page(of: filter, after: next, limit: Self.pageLength)
            for delivery in page.deliveries {
                let (name, received) = (
                    Name(notifier: ByteKey(delivery.notifier), reason: ByteKey(delivery.reason)), delivery.event.receivedAt
                )
                groups[name, default: Group()].add(1, from: received, to: received)
            }
            next = page.next
        } while next != nil && SystemClock.monotonicMilliseconds() < end
        return (groups, next == nil)
    }
}

extension DeadGroupsAction {
    /// What a group's reason means, and what to do, in sentences.
    private func meaning(of name: Name, _ context: AdminContext) -> JSONObject {
        let meaning = ReasonMeaning.of(name.reason.text, context.state.configuration.notifier(name.notifier.text))
        return [
            "meaning": JSONValue(Telling.sentence(meaning.text), in: language),
            "remedy": JSONValue(meaning.remedy.map(Telling.sentence), in: language),
        ]
    }
}

extension DeadGroupsAction.Group {
    fileprivate mutating func add(_ number: Int, from first: UnixMilliseconds, to last: UnixMilliseconds) {
        count += number
        oldest = min(oldest, first)
        newest = max(newest, last)
    }

    fileprivate func json(of name: DeadGroupsAction.Name, _ words: JSONObject) -> JSONObject {
        [
            "notifier": .string(name.notifier.text), "reason": .string(name.reason.text), "count": .integer(Int64(count)),
            "oldest": .string(RFC3339.text(oldest)), "newest": .string(RFC3339.text(newest)),
            "meaning": words["meaning"] ?? .null, "remedy": words["remedy"] ?? .null,
        ]
    }
}
