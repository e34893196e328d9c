internal import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Time

/// Counts dead deliveries by notifier and reason. It looks at the newest ones alone, so that its time is bounded.
struct DeadGroupsAction: AdminAction {
    /// How many of the newest dead deliveries are counted.
    static let most = 10_000
    private static let pageLength = 1000
    private static let path: StaticString = "/v1/deliveries/reasons"
    private static let parameters = DeliveryCriteria.parameters.filter { $0.name != "state" }

    /// The route.
    static let route = AdminRoute(
        .get, path, .read, summary: "The newest \(most) dead deliveries that match, counted by notifier and reason.", parameters,
        answer: AdminRoute.Answer(
            ["groups", "counted", "complete"],
            [
                "groups": Schema.array(
                    Schema.object([
                        ("notifier", Schema.text), ("reason", Schema.text), ("count", AdminSchema.count), ("oldest", Schema.time),
                        ("newest", Schema.time),
                    ])), "counted": AdminSchema.count, "complete": AdminSchema.flag,
            ],
            text: "The groups, the largest first, each with the time of its oldest and its newest event; how many deliveries were counted; "
                + "and whether these are all."),
        .fromStore { request throws(AdminProblem) in
            var criteria = DeliveryCriteria()
            for (name, text) in try AdminQuery(request.queryItems()).items {
                try criteria.add(try parameters.known(name), text)
            }
            return DeadGroupsAction(filter: criteria.filter)
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

    private init(filter: DeliveryFilter) {
        self.filter = filter
        self.filter.state = .dead
    }

    /// As `AdminAction` says.
    var request: AdminRequest {
        AdminRequest(.get, "\(Self.path)", query: DeliveryCriteria.texts(of: filter).filter { $0.name != "state" })
    }

    /// Nil: it changes nothing.
    var change: String? { nil }

    /// As `AdminAction` says.
    func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        var (groups, counted): ([Name: Group], Int) = ([:], 0)
        var next: DeliveryCursor?
        repeat {
            let page = try context.store.page(of: filter, after: next, limit: Self.pageLength)
            for delivery in page.deliveries {
                let received = delivery.event.receivedAt
                groups[Name(notifier: ByteKey(delivery.notifier), reason: ByteKey(delivery.reason)), default: Group()].add(received)
            }
            counted += page.deliveries.count
            next = page.next
        } while next != nil && counted < Self.most
        let sorted = groups.sorted {
            $0.value.count != $1.value.count
                ? $0.value.count > $1.value.count : ($0.key.notifier, $0.key.reason) < ($1.key.notifier, $1.key.reason)
        }
        return AdminAnswer([
            "groups": .array(sorted.map { .object($0.value.json(of: $0.key)) }), "counted": .integer(Int64(counted)),
            "complete": .bool(next == nil),
        ])
    }
}

extension DeadGroupsAction.Group {
    fileprivate mutating func add(_ received: UnixMilliseconds) {
        count += 1
        oldest = min(oldest, received)
        newest = max(newest, received)
    }

    fileprivate func json(of name: DeadGroupsAction.Name) -> JSONObject {
        [
            "notifier": .string(name.notifier.text), "reason": .string(name.reason.text), "count": .integer(Int64(count)),
            "oldest": .string(RFC3339.text(oldest)), "newest": .string(RFC3339.text(newest)),
        ]
    }
}
