internal import Core
internal import SQLite
internal import Time

/// Reports of help desks, and the topics that they are about.
extension WritingDatabase {
    /// Stores what follows from a report. A duplicate is recognised even if nothing can be stored.
    func accept(_ report: Report) throws(SQLiteError) -> Result<ReportOutcome, StoreError> {
        let app = try apps.number(report.appID, self)
        let found = try find(report.identity, app)
        if let earlier = found.duplicate { return .success(.duplicate(of: [earlier])) }
        var known: [Topic.Name: Topic] = [:]
        for name in report.topics { known[name] = try topic(name, app) }
        switch try Admission.decision(on: report, known, in: self) {
        case .undecided: return .success(.undecided)
        case .ignored(let reason): return .success(.ignored(reason: reason))
        case .decided(let topics, let arrivals, let remark, let rating, let mark):
            if let refusal = acceptanceRefusal() { return .failure(refusal) }
            var planned: [(arrival: Arrival, rows: [DeliveryPlan.Row])] = []
            for arrival in arrivals {
                let comment = arrival.event.identity == report.identity ? found : try find(arrival.event.identity, app)
                guard comment.duplicate == nil else { continue }
                switch admitted(try plan(arrival, app, hasSibling: comment.hasSibling), arrival.event, app) {
                case .failure(let refusal): return .failure(refusal)
                case .success(let rows): planned.append((arrival, rows))
                }
            }
            let superseded = try mark.map { mark throws(SQLiteError) in try supersede(mark, app) } ?? 0
            for (arrival, rows) in planned { try insert(arrival, rows, app) }
            for topic in topics where known[topic.name] != topic { try put(topic, app, at: report.receivedAt) }
            if !planned.contains(where: { $0.arrival.event.identity == report.identity }) {
                try remember(report.identity, app, report.id, receivedAt: report.receivedAt)
            }
            return .success(
                .accepted(events: planned.map(\.arrival.event.id), remark: remark, rating: rating, superseded: superseded))
        }
    }

    private func topic(_ name: Topic.Name, _ app: Int64) throws(SQLiteError) -> Topic? {
        let statement = statements.findTopic
        statement.bind(app, at: 1)
        statement.bind(name.kind.text, at: 2)
        statement.bind(name.text.text, at: 3)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        let data = try statement.bytes(1)
        // A row that PostgreSQL has made only to be locked may have been copied.
        return data.isEmpty ? nil : Topic(name, userID: try statement.string(0), data: data)
    }

    private func put(_ topic: Topic, _ app: Int64, at time: UnixMilliseconds) throws(SQLiteError) {
        try statements.putTopic.run(app, topic.name.kind.text, topic.name.text.text, topic.userID, time.stored, topic.data)
    }

    /// Takes a person out of the topics, so that nothing is made of what comes about them.
    func forgetTopics(of person: RevokedPerson) throws(SQLiteError) {
        try statements.forgetTopics.run(try apps.number(person.appID, self), person.userID, Topic.formerData)
        if changes > 0 { noteForgotten() }
    }

    /// Deletes topics of which nothing was heard since a time.
    /// - Returns: how many.
    func deleteTopics(before time: UnixMilliseconds, limit: Int) throws(SQLiteError) -> Int {
        var old: [(app: Int64, kind: String, name: String)] = []
        try statements.findOldTopics.forEachRow(time.stored, limit) { row throws(SQLiteError) in
            old.append((try row.int64(0), try row.string(1), try row.string(2)))
        }
        for topic in old { try statements.deleteTopic.run(topic.app, topic.kind, topic.name) }
        return old.count
    }
}
