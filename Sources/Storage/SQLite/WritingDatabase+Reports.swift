internal import Core
internal import SQLite
internal import Time

/// Reports of help desks, and their topics.
extension WritingDatabase {
    /// Stores the consequences of a report. A duplicate is recognised even if nothing can be stored.
    func accept(_ report: Report) throws(SQLiteError) -> Result<ReportOutcome, StoreError> {
        let app = try apps.number(report.appID, self)
        let found = try find(report.identity, app)
        if let earlier = found.duplicate { return .success(.duplicate(of: [earlier])) }
        var known: [ConversationState.Name: ConversationState] = [:]
        for name in report.conversations { known[name] = try conversation(name, app) }
        switch try Admission.decision(on: report, known, in: self) {
        case .undecided: return .success(.undecided)
        case .ignored(let reason): return .success(.ignored(reason: reason))
        case .decided(let conversations, let incomingEvents, let remark, let rating, let receipt):
            if let refusal = acceptanceRefusal() { return .failure(refusal) }
            var planned: [(incoming: IncomingEvent, rows: [DeliveryPlan.Row])] = []
            for incoming in incomingEvents {
                let comment = incoming.event.identity == report.identity ? found : try find(incoming.event.identity, app)
                guard comment.duplicate == nil else { continue }
                switch admitted(try plan(incoming, app, hasSibling: comment.hasSibling), event: incoming.event, app: app) {
                case .failure(let refusal): return .failure(refusal)
                case .success(let rows): planned.append((incoming, rows))
                }
            }
            let superseded = try receipt.map { receipt throws(SQLiteError) in try supersede(receipt, app) } ?? 0
            for (incoming, rows) in planned { try insert(incoming, rows: rows, app: app) }
            for conversation in conversations where known[conversation.name] != conversation {
                try put(conversation, app, at: report.receivedAt)
            }
            if !planned.contains(where: { $0.incoming.event.identity == report.identity }) {
                try remember(report.identity, app: app, id: report.id, receivedAt: report.receivedAt)
            }
            return .success(
                .accepted(events: planned.map(\.incoming.event.id), remark: remark, rating: rating, superseded: superseded))
        }
    }

    private func conversation(_ name: ConversationState.Name, _ app: Int64) throws(SQLiteError) -> ConversationState? {
        let statement = statements.findTopic
        statement.bind(app, at: 1)
        statement.bind(name.kind.text, at: 2)
        statement.bind(name.text.text, at: 3)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let data = try statement.bytes(1)
        // PostgreSQL creates some rows only to lock them; a copy from it may contain one.
        return data.isEmpty ? nil : ConversationState(name, userID: try statement.string(0), data: data)
    }

    private func put(_ conversation: ConversationState, _ app: Int64, at time: UnixMilliseconds) throws(SQLiteError) {
        try statements.putTopic.run(
            app, conversation.name.kind.text, conversation.name.text.text, conversation.userID, time.stored, conversation.data)
    }

    /// Removes a person from the topics, so that later webhooks about them have no consequences.
    func forgetConversations(of person: AppUser) throws(SQLiteError) {
        try statements.forgetConversations.run(try apps.number(person.appID, self), person.userID, ConversationState.forgottenPersonData)
        if changes > 0 { noteForgotten() }
    }

    /// Deletes topics without a report since a time, and returns the number.
    func deleteConversations(before time: UnixMilliseconds, limit: Int) throws(SQLiteError) -> Int {
        var old: [(app: Int64, kind: String, name: String)] = []
        try statements.findOldTopics.forEachRow(time.stored, limit) { row throws(SQLiteError) in
            old.append((try row.int64(0), try row.string(1), try row.string(2)))
        }
        for conversation in old { try statements.deleteTopic.run(conversation.app, conversation.kind, conversation.name) }
        return old.count
    }
}
