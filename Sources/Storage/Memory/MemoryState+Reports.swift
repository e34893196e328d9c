internal import Core
internal import Time

/// Reports of help desks, and the topics that they are about.
extension MemoryState {
    /// A topic of an app.
    struct TopicKey: Hashable {
        let appID: ByteKey
        let name: Topic.Name
    }

    /// A topic, and when it was last heard of.
    struct KnownTopic {
        var topic: Topic
        let at: UnixMilliseconds
    }

    mutating func accept(_ report: Report, _ rules: MemoryRules) -> Result<ReportOutcome, StoreError> {
        let appID = ByteKey(report.appID)
        if let earlier = duplicate(of: report.identity) { return .success(.duplicate(of: [earlier])) }
        var known: [Topic.Name: Topic] = [:]
        for name in report.topics { known[name] = topics[TopicKey(appID: appID, name: name)]?.topic }
        switch Admission.decision(on: report, known, in: devices) {
        case .undecided: return .success(.undecided)
        case .ignored(let reason): return .success(.ignored(reason: reason))
        case .decided(let changed, let arrivals, let remark, let rating, let mark):
            var planned: [(arrival: Arrival, rows: [DeliveryPlan.Row])] = []
            for arrival in arrivals where duplicate(of: arrival.event.identity) == nil {
                switch admitted(plan(arrival), arrival.event, rules) {
                case .failure(let refusal): return .failure(refusal)
                case .success(let rows): planned.append((arrival, rows))
                }
            }
            let superseded = mark.map { supersede($0) } ?? 0
            for (arrival, rows) in planned { insert(arrival, rows) }
            for topic in changed where known[topic.name] != topic {
                topics[TopicKey(appID: appID, name: topic.name)] = KnownTopic(topic: topic, at: report.receivedAt)
            }
            if report.identity.commentID != nil, !planned.contains(where: { $0.arrival.event.identity == report.identity }) {
                past[report.identity] = (report.id, report.receivedAt)
            }
            return .success(
                .accepted(events: planned.map(\.arrival.event.id), remark: remark, rating: rating, superseded: superseded))
        }
    }

    private mutating func supersede(_ mark: ReadMark) -> Int {
        let (notifiers, ending) = (Set(mark.notifiers.map { ByteKey($0) }), DeliveryEnding.supersededByRead)
        let read = entries.indices.filter { index in
            let delivery = entries[index].delivery
            return delivery.state == .pending && notifiers.contains(ByteKey(delivery.notifier)) && mark.covers(delivery.event)
        }
        for index in read {
            end(index, ending.state, at: mark.receivedAt, reason: ending.reason)
            refused[ByteKey(entries[index].delivery.notifier), default: [:]][ending, default: 0] += 1
        }
        return read.count
    }

    private func duplicate(of identity: Event.Identity) -> UUIDv7? {
        guard identity.commentID != nil else { return nil }
        return events.first { $0.identity == identity }?.id ?? past[identity]?.id
    }

    mutating func forgetTopics(of person: RevokedPerson) {
        for (key, known) in topics where key.appID == ByteKey(person.appID) && ByteKey(known.topic.userID) == ByteKey(person.userID) {
            topics[key]?.topic = Topic(key.name, userID: "", data: Topic.formerData)
        }
    }

    mutating func deleteTopics(before time: UnixMilliseconds, limit: Int) -> Int {
        let old = topics.filter { $0.value.at < time }.keys.prefix(limit)
        for key in old { topics[key] = nil }
        return old.count
    }
}
