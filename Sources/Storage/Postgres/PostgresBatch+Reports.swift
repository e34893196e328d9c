internal import Core
internal import Postgres
internal import Time

/// Reports of help desks, and the topics that they are about. The rows of `topics` are locked before those of persons.
extension PostgresBatch {
    /// A topic of an app.
    struct TopicKey: Hashable, Comparable {
        let app: Int32
        let name: Topic.Name

        static func < (left: Self, right: Self) -> Bool { (left.app, left.name) < (right.app, right.name) }
    }

    /// Stores what follows from a report. A duplicate is recognised even where there is no room.
    /// - Parameter offset: by which moments are stored.
    func accept(_ report: Report, _ offset: ClockOffset) throws(PostgresError) -> Result<ReportOutcome, StoreError> {
        let app = try unit.number(report.appID)
        if let earlier = duplicate(of: report.identity, app) { return .success(.duplicate(of: [earlier])) }
        switch try Admission.decision(on: report, known(report, app), in: unit) {
        case .undecided: return .success(.undecided)
        case .ignored(let reason): return .success(.ignored(reason: reason))
        case .decided(let changed, let arrivals, let remark, let rating, let mark):
            var planned: [(arrival: Arrival, rows: [DeliveryPlan.Row])] = []
            for arrival in offset.stored(arrivals) where duplicate(of: arrival.event.identity, app) == nil {
                switch try admitted(try plan(arrival, app), arrival.event, app) {
                case .failure(let refusal): return .failure(refusal)
                case .success(let rows): planned.append((arrival, rows))
                }
            }
            let receivedAt = offset.stored(report.receivedAt)
            let superseded = try mark.map { mark throws(PostgresError) in try supersede(offset.stored(mark), app) } ?? 0
            for (arrival, rows) in planned { insert(arrival, rows, app) }
            for topic in changed where topics[TopicKey(app: app, name: topic.name)] != .some(topic) {
                topics[TopicKey(app: app, name: topic.name)] = topic
                changedTopics[TopicKey(app: app, name: topic.name)] = receivedAt
            }
            if !planned.contains(where: { $0.arrival.event.identity == report.identity }) {
                remember(report.identity, app, report.id, receivedAt: receivedAt)
                past[report.identity] = report.id
            }
            return .success(
                .accepted(events: planned.map(\.arrival.event.id), remark: remark, rating: rating, superseded: superseded))
        }
    }

    /// Ends pending deliveries of what a person has read.
    /// - Returns: how many.
    private func supersede(_ mark: ReadMark, _ app: Int32) throws(PostgresError) -> Int {
        guard !mark.notifiers.isEmpty else { return 0 }
        // What came in this transaction may be read as well.
        try write()
        let (work, ending) = (PostgresWork(self), DeliveryEnding.supersededByRead)
        var count = 0
        for notifier in mark.notifiers {
            let read = try work.read(mark, notifier, app)
            try work.end(read.map { PostgresWork.Ending(place: $0, state: ending.state, reason: ending.reason, at: mark.receivedAt) })
            for _ in read { refuse(ending, for: notifier) }
            count += read.count
        }
        return count
    }

    private func known(_ report: Report, _ app: Int32) -> [Topic.Name: Topic] {
        var known: [Topic.Name: Topic] = [:]
        for name in report.topics { known[name] = topics[TopicKey(app: app, name: name)] }
        return known
    }

    /// Locks and reads the topics of reports.
    /// - Returns: the persons whom the reports are about, as far as can be told before they are decided.
    func load(_ reports: [Report]) throws(PostgresError) -> Set<PostgresUnit.PersonKey> {
        guard !reports.isEmpty else { return [] }
        var wanted: Set<TopicKey> = []
        var persons: Set<PostgresUnit.PersonKey> = []
        for report in reports {
            let app = try unit.number(report.appID)
            for name in report.topics { wanted.insert(TopicKey(app: app, name: name)) }
            if let userID = report.userID { persons.insert(try unit.key(report.appID, userID)) }
        }
        let keys = wanted.sorted()
        let parameters: [Parameter] = [
            .int4Array(keys.map(\.app)), .storedArray(keys.map(\.name.kind.text)), .storedArray(keys.map(\.name.text.text)),
        ]
        let rows = try unit.session.run([Query(TopicStatements.insert, parameters), Query(TopicStatements.lock, parameters)])[1]
        for row in rows {
            let data = try row.bytes(4)
            // A row that was made only to be locked.
            guard !data.isEmpty else { continue }
            let name = Topic.Name(try row.stored(1), try row.stored(2))
            let topic = Topic(name, userID: try row.stored(3), data: data)
            let key = TopicKey(app: try row.int32(0), name: name)
            topics[key] = topic
            if !topic.userID.isEmpty { persons.insert(PostgresUnit.PersonKey(app: key.app, userID: ByteKey(topic.userID))) }
        }
        return persons
    }

    /// The statement that writes what has changed.
    func topicRows() -> [Query] {
        let changed = changedTopics.sorted { $0.key < $1.key }.compactMap { key, time in topics[key].map { (key, time, $0) } }
        guard !changed.isEmpty else { return [] }
        return [
            Query(
                TopicStatements.update,
                [
                    .int4Array(changed.map(\.0.app)), .storedArray(changed.map(\.0.name.kind.text)),
                    .storedArray(changed.map(\.0.name.text.text)), .storedArray(changed.map(\.2.userID)),
                    .int8Array(changed.map(\.1.stored)), .byteaArray(changed.map(\.2.data)),
                ])
        ]
    }
}

extension PostgresWork {
    /// Takes a person out of the topics, so that nothing is made of what comes about them.
    func forgetTopics(of person: RevokedPerson) throws(PostgresError) {
        _ = try session.run([
            Query(TopicStatements.forget, [.stored(person.appID), .stored(person.userID), .bytea(Topic.formerData)])
        ])
    }

    /// Deletes topics of which nothing was heard since a time.
    /// - Returns: how many.
    func deleteTopics(before time: UnixMilliseconds, limit: Int) throws(PostgresError) -> Int {
        guard limit > 0 else { return 0 }
        return try session.run([Query(TopicStatements.delete, [.int8(time.stored), .int8(Int64(limit))])])[0].count
    }
}

private enum TopicStatements {
    // Without a row nothing could be locked, and two replicas would both take a topic for a new one.
    static let insert: StaticString = """
        INSERT INTO topics (app, kind, name, at)
        SELECT app, kind, name, (extract(epoch FROM now()) * 1000)::bigint
        FROM unnest($1::integer[], $2::text[], $3::text[]) WITH ORDINALITY AS new (app, kind, name, place) ORDER BY place
        ON CONFLICT DO NOTHING
        """
    static let lock: StaticString = """
        SELECT topics.app, topics.kind, topics.name, user_id, data
        FROM unnest($1::integer[], $2::text[], $3::text[]) AS wanted (app, kind, name)
            JOIN topics ON topics.app = wanted.app AND topics.kind = wanted.kind AND topics.name = wanted.name
        ORDER BY topics.app, topics.kind, topics.name FOR NO KEY UPDATE OF topics
        """
    static let update: StaticString = """
        UPDATE topics SET user_id = new.user_id, at = new.at, data = new.data
        FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bytea[]) AS new (app, kind, name, user_id, at, data)
        WHERE topics.app = new.app AND topics.kind = new.kind AND topics.name = new.name
        """
    static let forget: StaticString = """
        UPDATE topics SET user_id = '', data = $3 WHERE app = (SELECT number FROM apps WHERE app_id = $1) AND user_id = $2
        """
    static let delete: StaticString = """
        DELETE FROM topics WHERE (app, kind, name) IN (
            SELECT app, kind, name FROM topics WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED)
        RETURNING 1
        """
}
