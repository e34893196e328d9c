internal import Core
internal import Postgres
internal import Time

/// Reports of help desks, and their topics. The rows of `conversations` are locked before those of persons.
extension PostgresBatch {
    struct ConversationKey: Hashable, Comparable {
        let app: Int32
        let name: ConversationState.Name

        static func < (left: Self, right: Self) -> Bool { (left.app, left.name) < (right.app, right.name) }
    }

    /// Stores the results of a report. A duplicate is detected even without room in the queue.
    /// - Parameter offset: the clock offset with which times are stored.
    func accept(_ report: Report, _ offset: ClockOffset) throws(PostgresError) -> Result<ReportOutcome, StoreError> {
        let app = try unit.number(report.appID)
        if let earlier = duplicate(of: report.identity, app) { return .success(.duplicate(of: [earlier])) }
        switch try Admission.decision(on: report, known(report, app), in: unit) {
        case .undecided: return .success(.undecided)
        case .ignored(let reason): return .success(.ignored(reason: reason))
        case .decided(let changed, let incomingEvents, let remark, let rating, let receipt):
            var planned: [(incoming: IncomingEvent, rows: [DeliveryPlan.Row])] = []
            for incoming in offset.databaseTime(incomingEvents) where duplicate(of: incoming.event.identity, app) == nil {
                switch try admitted(try plan(incoming, app), event: incoming.event, app: app) {
                case .failure(let refusal): return .failure(refusal)
                case .success(let rows): planned.append((incoming, rows))
                }
            }
            let receivedAt = offset.databaseTime(report.receivedAt)
            let superseded = try receipt.map { receipt throws(PostgresError) in try supersede(offset.databaseTime(receipt), app) } ?? 0
            for (incoming, rows) in planned { insert(incoming, rows: rows, app: app) }
            for conversation in changed where conversations[ConversationKey(app: app, name: conversation.name)] != .some(conversation) {
                conversations[ConversationKey(app: app, name: conversation.name)] = conversation
                changedConversations[ConversationKey(app: app, name: conversation.name)] = receivedAt
            }
            if !planned.contains(where: { $0.incoming.event.identity == report.identity }) {
                remember(report.identity, app: app, id: report.id, receivedAt: receivedAt)
                past[report.identity] = report.id
            }
            return .success(
                .accepted(events: planned.map(\.incoming.event.id), remark: remark, rating: rating, superseded: superseded))
        }
    }

    /// Ends pending deliveries of messages that a person has read.
    /// - Returns: the number of ended deliveries.
    private func supersede(_ receipt: ReadReceipt, _ app: Int32) throws(PostgresError) -> Int {
        guard !receipt.notifiers.isEmpty else { return 0 }
        // Rows written by this transaction may be read as well.
        try write()
        let (work, ending) = (DeliveryTransaction(self), DeliveryEnding.supersededByRead)
        var count = 0
        for notifier in receipt.notifiers {
            let read = try work.read(receipt, notifier: notifier, app: app)
            try work.end(
                read.map { DeliveryTransaction.Ending(place: $0, state: ending.state, reason: ending.reason, at: receipt.receivedAt) })
            for _ in read { refuse(ending, for: notifier) }
            count += read.count
        }
        return count
    }

    private func known(_ report: Report, _ app: Int32) -> [ConversationState.Name: ConversationState] {
        var known: [ConversationState.Name: ConversationState] = [:]
        for name in report.conversations { known[name] = conversations[ConversationKey(app: app, name: name)] }
        return known
    }

    /// Locks and reads the topics of reports.
    /// - Returns: the persons of the reports, if known before the decisions.
    func load(_ reports: [Report]) throws(PostgresError) -> Set<UnitOfWork.PersonKey> {
        guard !reports.isEmpty else { return [] }
        var wanted: Set<ConversationKey> = []
        var persons: Set<UnitOfWork.PersonKey> = []
        for report in reports {
            let app = try unit.number(report.appID)
            for name in report.conversations { wanted.insert(ConversationKey(app: app, name: name)) }
            if let userID = report.userID { persons.insert(try unit.key(report.appID, userID)) }
        }
        let keys = wanted.sorted()
        let parameters: [Parameter] = [
            .int4Array(keys.map(\.app)), .storedArray(keys.map(\.name.kind.text)), .storedArray(keys.map(\.name.text.text)),
        ]
        let rows = try unit.session.run([Query(ConversationStatements.insert, parameters), Query(ConversationStatements.lock, parameters)])[
            1]
        for row in rows {
            let data = try row.bytes(4)
            // A row that was inserted only for the lock.
            guard !data.isEmpty else { continue }
            let name = ConversationState.Name(try row.stored(1), try row.stored(2))
            let conversation = ConversationState(name, userID: try row.stored(3), data: data)
            let key = ConversationKey(app: try row.int32(0), name: name)
            conversations[key] = conversation
            if !conversation.userID.isEmpty { persons.insert(UnitOfWork.PersonKey(app: key.app, userID: ByteKey(conversation.userID))) }
        }
        return persons
    }

    func conversationRows() -> [Query] {
        let changed = changedConversations.sorted { $0.key < $1.key }.compactMap { key, time in conversations[key].map { (key, time, $0) } }
        guard !changed.isEmpty else { return [] }
        return [
            Query(
                ConversationStatements.update,
                [
                    .int4Array(changed.map(\.0.app)), .storedArray(changed.map(\.0.name.kind.text)),
                    .storedArray(changed.map(\.0.name.text.text)), .storedArray(changed.map(\.2.userID)),
                    .int8Array(changed.map(\.1.stored)), .byteaArray(changed.map(\.2.data)),
                ])
        ]
    }
}

extension DeliveryTransaction {
    /// Removes a person from the topics, so that later reports create nothing about the person.
    func forgetConversations(of person: AppUser) throws(PostgresError) {
        _ = try session.run([
            Query(
                ConversationStatements.forget,
                [.stored(person.appID), .stored(person.userID), .bytea(ConversationState.forgottenPersonData)])
        ])
    }

    /// Deletes topics without a report since a time, and returns their number.
    func deleteConversations(before time: UnixMilliseconds, limit: Int) throws(PostgresError) -> Int {
        guard limit > 0 else { return 0 }
        return try session.run([Query(ConversationStatements.delete, [.int8(time.stored), .int8(Int64(limit))])])[0].count
    }
}

private enum ConversationStatements {
    // Without a row there would be no lock, and two replicas would both treat a topic as new.
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
