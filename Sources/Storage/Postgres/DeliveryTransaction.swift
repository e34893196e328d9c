internal import Core
internal import Postgres
internal import Time

/// Stores the outcomes of one pass, and claims the deliveries of the next pass, in one transaction.
final class DeliveryTransaction {
    struct Place {
        let key: DeliveryKey
        let notifier: String
        let app: Int32
        let order: Int64?
        let leads: Bool
        let isPending: Bool
        let attempts: Int
    }

    struct Ending {
        let place: Place
        let state: Delivery.State
        let reason: String
        let at: UnixMilliseconds
    }

    struct Retry {
        let place: Place
        let at: UnixMilliseconds
        let reason: String
    }

    let batch: PostgresBatch
    let session: PostgresSession
    let depth: QueueDepth
    /// The calls that count toward rate limits, as far as this transaction has locked them.
    var limiter = OutboundRateLimiter()

    init(_ batch: PostgresBatch) {
        self.batch = batch
        session = batch.unit.session
        depth = batch.depth
    }

    /// Records outcomes. If an attempt has several outcomes, only the first one is recorded.
    func finish(_ finished: [FinishedAttempt]) throws(PostgresError) {
        guard !finished.isEmpty else { return }
        let places = try places(finished)
        let counted = try record(finished.filter { places[$0.id] != nil }, places)
        // Locks persons in the order of their keys, and not in the order of the outcomes.
        var persons: Set<UnitOfWork.PersonKey> = []
        for result in counted where result.update != nil {
            if let key = result.device?.key { persons.insert(try batch.unit.key(key.appID, key.userID)) }
        }
        try batch.unit.load(persons: persons)
        var (endings, retries, uncountedCall) = ([Ending](), [Retry](), [(call: RateLimitedCall, notifier: String)]())
        for result in counted {
            if let tried = result.device, let update = result.update {
                try batch.apply(RegistryTransition.learn(update, of: tried, now: result.now, in: batch.unit))
            }
            guard let place = places[result.id], place.isPending, place.attempts == result.attempt else { continue }
            if let call = result.uncountedCall { uncountedCall.append((call, place.notifier)) }
            switch result.next {
            case .delivered: endings.append(Ending(place: place, state: .delivered, reason: result.reason, at: result.now))
            case .dead: endings.append(Ending(place: place, state: .dead, reason: result.reason, at: result.now))
            case .givenUp(let ending): endings.append(Ending(place: place, state: .dead, reason: ending.rawValue, at: result.now))
            case .retry(let time): retries.append(Retry(place: place, at: time, reason: result.reason))
            }
        }
        try write(retries)
        try end(endings)
        try giveBack(uncountedCall)
    }

    private func places(_ finished: [FinishedAttempt]) throws(PostgresError) -> [UUIDv7: Place] {
        let rows = try session.run([
            Query(
                WorkStatements.find,
                [.uuidArray(finished.map(\.id.event.bytes)), .int4Array(finished.map { Int32($0.id.position) })])
        ])[0]
        var places: [UUIDv7: Place] = [:]
        for row in rows {
            let place = try Place(row)
            places[try row.uuidv7(8).delivery(Int(place.key.position))] = place
        }
        return places
    }

    /// Records outcomes in the attempts of the deliveries.
    /// - Returns: the outcomes that are the first of their attempts, in the given order.
    private func record(_ finished: [FinishedAttempt], _ places: [UUIDv7: Place]) throws(PostgresError) -> [FinishedAttempt] {
        var seen: Set<String> = []
        let firsts = finished.filter { seen.insert("\($0.id) \($0.attempt)").inserted }
        let keys = firsts.compactMap { places[$0.id]?.key }
        let rows = try session.run([
            Query(
                WorkStatements.endAttempts,
                [
                    .int8Array(keys.map(\.event)), .int4Array(keys.map { Int32($0.position) }),
                    .int4Array(firsts.map { Int32($0.attempt) }),
                    .int8Array(firsts.map(\.now.stored)), .storedArray(firsts.map(\.next.outcome)), .storedArray(firsts.map(\.reason)),
                ])
        ])[0]
        var counted: Set<String> = []
        for row in rows { counted.insert("\(try row.int64(0)) \(try row.int32(1)) \(try row.int32(2))") }
        return zip(firsts, keys).filter { counted.contains("\($1.event) \($1.position) \($0.attempt)") }.map(\.0)
    }

    func write(_ retries: [Retry]) throws(PostgresError) {
        guard !retries.isEmpty else { return }
        let keys = retries.map(\.place.key)
        _ = try session.run([
            Query(
                WorkStatements.reschedule,
                [
                    .int8Array(keys.map(\.event)), .int4Array(keys.map { Int32($0.position) }), .int8Array(retries.map(\.at.stored)),
                    .storedArray(retries.map(\.reason)),
                ])
        ])
    }

    /// Ends pending deliveries, and makes the next delivery of each order key the first.
    func end(_ endings: [Ending]) throws(PostgresError) {
        guard !endings.isEmpty else { return }
        let keys = endings.map(\.place.key)
        let ordered = endings.filter { $0.place.order != nil }
        var queries = [
            Query(
                WorkStatements.end,
                [
                    .int8Array(keys.map(\.event)), .int4Array(keys.map { Int32($0.position) }),
                    .int4Array(endings.map { Int32($0.state.number) }),
                    .int8Array(endings.map(\.at.stored)), .storedArray(endings.map(\.reason)),
                ])
        ]
        if !ordered.isEmpty {
            let heads: [Parameter] = [
                .storedArray(ordered.map(\.place.notifier)), .int4Array(ordered.map(\.place.app)),
                .int8Array(ordered.compactMap(\.place.order)),
            ]
            // Resets the search position, because the next delivery of the order may have been due before it.
            for ending in ordered { session.floors[ByteKey(ending.place.notifier)] = nil }
            // Locks the heads first, and then selects the next deliveries: a statement sees all transactions that were committed before it
            // began.
            queries += [
                Query(WorkStatements.lowerHeads, heads), Query(WorkStatements.lead, heads), Query(WorkStatements.removeHeads, heads),
            ]
        }
        let events = Parameter.int8Array(Array(Set(keys.map(\.event))).sorted())
        // The lock serializes two transactions that end the last two deliveries of an event, so that the second one sees that no delivery
        // is pending.
        queries += [
            Query(WorkStatements.dropData, [events]), Query(WorkStatements.lockErased, [events]),
            Query(WorkStatements.dropPersons, [events]),
        ]
        _ = try session.run(queries)
        for ending in endings { depth.add(-1, to: ending.place.notifier, of: ending.place.app) }
    }
}

extension DeliveryTransaction.Place {
    /// Reads a row of `WorkStatements.find`.
    init(_ row: Row) throws(PostgresError) {
        self.init(
            key: DeliveryKey(event: try row.int64(0), position: Int64(try row.int32(1))), notifier: try row.stored(2),
            app: try row.int32(3),
            order: try row.optionalInt64(4), leads: try row.bool(5), isPending: try row.int32(6) == 0, attempts: Int(try row.int32(7)))
    }
}

enum WorkStatements {
    static let find: StaticString = """
        SELECT event, deliveries.position, notifier, deliveries.app, order_key, leads, state::integer, attempts, events.id
        FROM (SELECT DISTINCT * FROM unnest($1::uuid[], $2::integer[])) AS wanted (id, position)
            JOIN events ON events.id = wanted.id
            JOIN deliveries ON event = number AND deliveries.position = wanted.position
        ORDER BY event, deliveries.position FOR NO KEY UPDATE OF deliveries
        """
    static let endAttempts: StaticString = """
        UPDATE attempts SET ended_at = done.at, outcome = done.outcome, reason = done.reason
        FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::bigint[], $5::text[], $6::text[])
            AS done (event, position, number, at, outcome, reason)
        WHERE attempts.event = done.event AND attempts.position = done.position AND attempts.number = done.number
            AND attempts.ended_at IS NULL
        RETURNING attempts.event, attempts.position, attempts.number
        """
    static let reschedule: StaticString = """
        UPDATE deliveries SET due_at = later.at, reason = later.reason, owner = NULL
        FROM unnest($1::bigint[], $2::integer[], $3::bigint[], $4::text[]) AS later (event, position, at, reason)
        WHERE deliveries.event = later.event AND deliveries.position = later.position
        """
    static let end: StaticString = """
        UPDATE deliveries SET state = ended.state, leads = false, ended_at = ended.at, reason = ended.reason, owner = NULL
        FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::bigint[], $5::text[]) AS ended (event, position, state, at, reason)
        WHERE deliveries.event = ended.event AND deliveries.position = ended.position
        """
    static let lowerHeads: StaticString = """
        WITH gone AS (
            SELECT notifier, app, order_key, count(*) AS count FROM unnest($1::text[], $2::integer[], $3::bigint[])
                AS gone (notifier, app, order_key) GROUP BY 1, 2, 3
        ), locked AS (
            SELECT order_heads.notifier, order_heads.app, order_heads.order_key, count FROM order_heads JOIN gone USING (notifier, app, order_key)
            ORDER BY 1, 2, 3 FOR NO KEY UPDATE OF order_heads
        )
        UPDATE order_heads SET waiting = waiting - count FROM locked
        WHERE order_heads.notifier = locked.notifier AND order_heads.app = locked.app AND order_heads.order_key = locked.order_key
        """
    static let lead: StaticString = """
        UPDATE deliveries SET leads = true
        FROM (SELECT DISTINCT * FROM unnest($1::text[], $2::integer[], $3::bigint[])) AS head (notifier, app, order_key),
            LATERAL (
                SELECT event, position FROM deliveries AS next
                WHERE next.state = 0 AND next.order_key IS NOT NULL AND next.notifier = head.notifier AND next.app = head.app
                    AND next.order_key = head.order_key
                ORDER BY event, position LIMIT 1
            ) AS next
        WHERE deliveries.event = next.event AND deliveries.position = next.position AND NOT deliveries.leads
        """
    static let removeHeads: StaticString = """
        DELETE FROM order_heads USING (SELECT DISTINCT * FROM unnest($1::text[], $2::integer[], $3::bigint[])) AS head (notifier, app, order_key)
        WHERE order_heads.notifier = head.notifier AND order_heads.app = head.app AND order_heads.order_key = head.order_key AND waiting <= 0
        """
    static let lockErased: StaticString = """
        SELECT number FROM events WHERE number = ANY ($1::bigint[]) AND erased ORDER BY number FOR NO KEY UPDATE
        """
    static let dropPersons: StaticString = """
        WITH told AS (
            UPDATE events SET user_id = '', device_id = '', data = '{}', trace = NULL
            WHERE number = ANY ($1::bigint[]) AND erased AND user_id <> ''
                AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = number AND state = 0)
            RETURNING number
        )
        UPDATE deliveries SET device_id = NULL FROM told WHERE event = told.number
        """
    static let dropData: StaticString = """
        UPDATE events SET data = '{}' WHERE number = ANY ($1::bigint[]) AND data <> '{}'
            AND NOT EXISTS (SELECT 1 FROM deliveries WHERE event = number AND state IN (0, 2))
        """
}
