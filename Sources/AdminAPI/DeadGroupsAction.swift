internal import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Notifiers
internal import Time

/// Counts dead deliveries by notifier and reason, and returns the counted set, so that exactly this set can be retried.
struct DeadGroupsAction: AdminAction {
    /// Milliseconds after which a search counts no further page.
    private static let milliseconds: UInt64 = TimeLimit.milliseconds(2000)
    private static let path: StaticString = "/v1/deliveries/reasons"
    private static let parameters = DeliveryCriteria.parameters.filter { $0.name != "state" }
    private static let all = parameters + [Language.parameter]

    static let route = AdminRoute(
        .get, path: path, role: .read, summary: "The dead deliveries that match, counted by notifier and reason.", parameters: all,
        answer: AdminRoute.Answer(
            ["groups", "counted", "complete", "set"],
            [
                "groups": Schema.array(
                    Schema.object([
                        ("notifier", Schema.text), ("reason", Schema.text), ("count", AdminSchema.count), ("oldest", Schema.time),
                        ("newest", Schema.time), ("meaning", Schema.text), ("remedy", AdminSchema.maybeText),
                    ])), "counted": AdminSchema.count, "complete": AdminSchema.flag,
                "set": AdminSchema.maybeText,
            ],
            text:
                "The groups, the largest first, each with the time of its oldest and its newest event, the meaning of its reason and the remedy; "
                + "how many deliveries were counted; "
                + "whether these are all, as always where the only criteria are notifier, reason and app_id, while for others the newest are "
                + "counted, as many as two seconds allow; "
                + "and the set of exactly these, for a retry with the same criteria, null when none or not all were counted."),
        handling: .fromStore { request throws(AdminProblem) in
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

    private var filter: DeliveryFilter
    private let language: Language

    private init(filter: DeliveryFilter, language: Language) {
        self.language = language
        self.filter = filter
        self.filter.state = .dead
    }

    var request: AdminRequest {
        let criteria = DeliveryCriteria.texts(of: filter).filter { $0.name != "state" }
        return AdminRequest(.get, "\(Self.path)", query: criteria + [(Language.parameter.name, language.rawValue)])
    }

    var change: String? { nil }

    func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        let dead = try DeadGroups(filter, in: context.store, until: SystemClock.monotonicMilliseconds() + Self.milliseconds)
        let sorted = dead.groups.sorted {
            $0.value.count != $1.value.count
                ? $0.value.count > $1.value.count : ($0.key.notifier, $0.key.reason) < ($1.key.notifier, $1.key.reason)
        }
        return AdminAnswer([
            "groups": .array(sorted.map { .object($0.value.json(of: $0.key, meaning(of: $0.key, context))) }),
            "counted": .integer(Int64(dead.count)),
            "complete": .bool(dead.isComplete),
            "set": dead.set.map { .string($0.description) } ?? .null,
        ])
    }
}

extension DeadGroupsAction {
    private func meaning(of name: DeadGroups.Name, _ context: AdminContext) -> JSONObject {
        let meaning = ReasonMeaning.of(name.reason.text, context.state.configuration.notifier(name.notifier.text))
        return [
            "meaning": JSONValue(TextFragments.sentence(meaning.text), in: language),
            "remedy": JSONValue(meaning.remedy(ofEndedFor: name.notifier.text).map(TextFragments.sentence), in: language),
        ]
    }
}

extension DeadGroups.Group {
    fileprivate func json(of name: DeadGroups.Name, _ words: JSONObject) -> JSONObject {
        [
            "notifier": .string(name.notifier.text), "reason": .string(name.reason.text), "count": .integer(Int64(count)),
            "oldest": .string(RFC3339.text(oldest)), "newest": .string(RFC3339.text(newest)),
            "meaning": words["meaning"] ?? .null, "remedy": words["remedy"] ?? .null,
        ]
    }
}
