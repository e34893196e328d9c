internal import Core
internal import Time

/// Reports of help desks, and the topics of the reports.
extension MemoryState {
    struct ConversationKey: Hashable {
        let appID: ByteKey
        let name: ConversationState.Name
    }

    /// A topic, and the time of its last report.
    struct KnownConversation {
        var conversation: ConversationState
        let at: UnixMilliseconds
    }

    mutating func accept(_ report: Report, _ rules: MemoryRules) -> Result<ReportOutcome, StoreError> {
        let appID = ByteKey(report.appID)
        if let earlier = duplicate(of: report.identity) { return .success(.duplicate(of: [earlier])) }
        var known: [ConversationState.Name: ConversationState] = [:]
        for name in report.conversations { known[name] = conversations[ConversationKey(appID: appID, name: name)]?.conversation }
        switch Admission.decision(on: report, known, in: devices) {
        case .undecided: return .success(.undecided)
        case .ignored(let reason): return .success(.ignored(reason: reason))
        case .decided(let changed, let incomingEvents, let remark, let rating, let receipt):
            var planned: [(incoming: IncomingEvent, rows: [DeliveryPlan.Row])] = []
            for incoming in incomingEvents where duplicate(of: incoming.event.identity) == nil {
                switch admitted(plan(incoming), event: incoming.event, rules: rules) {
                case .failure(let refusal): return .failure(refusal)
                case .success(let rows): planned.append((incoming, rows))
                }
            }
            let superseded = receipt.map { supersede($0) } ?? 0
            for (incoming, rows) in planned { insert(incoming, rows) }
            for conversation in changed where known[conversation.name] != conversation {
                conversations[ConversationKey(appID: appID, name: conversation.name)] = KnownConversation(
                    conversation: conversation, at: report.receivedAt)
            }
            if report.identity.commentID != nil, !planned.contains(where: { $0.incoming.event.identity == report.identity }) {
                past[report.identity] = (report.id, report.receivedAt)
            }
            return .success(
                .accepted(events: planned.map(\.incoming.event.id), remark: remark, rating: rating, superseded: superseded))
        }
    }

    private mutating func supersede(_ receipt: ReadReceipt) -> Int {
        let (notifiers, ending) = (Set(receipt.notifiers.map { ByteKey($0) }), DeliveryEnding.supersededByRead)
        let read = entries.indices.filter { index in
            let delivery = entries[index].delivery
            return delivery.state == .pending && notifiers.contains(ByteKey(delivery.notifier)) && receipt.covers(delivery.event)
        }
        for index in read {
            end(index, ending.state, at: receipt.receivedAt, reason: ending.reason)
            refused[ByteKey(entries[index].delivery.notifier), default: [:]][ending, default: 0] += 1
        }
        return read.count
    }

    private func duplicate(of identity: Event.Identity) -> UUIDv7? {
        guard identity.commentID != nil else { return nil }
        return events.first { $0.identity == identity }?.id ?? past[identity]?.id
    }

    mutating func forgetConversations(of person: AppUser) {
        for (key, known) in conversations
        where key.appID == ByteKey(person.appID) && ByteKey(known.conversation.userID) == ByteKey(person.userID) {
            conversations[key]?.conversation = ConversationState(key.name, userID: "", data: ConversationState.forgottenPersonData)
        }
    }

    mutating func deleteConversations(before time: UnixMilliseconds, limit: Int) -> Int {
        let old = conversations.filter { $0.value.at < time }.keys.prefix(limit)
        for key in old { conversations[key] = nil }
        return old.count
    }
}
