package import Core
internal import Postgres

/// The search for a name. Each step is a separate transaction.
extension PostgresStore {
    package func search(for query: NameQuery, after: NameCursor?, limit: Int) throws(StoreError) -> NamePage {
        try searchNames(query, after: after, limit: limit)
    }
}

extension PostgresStore: NameSearcher {
    func indexedMatches(of name: String) throws(StoreError) -> [NameMatch] {
        try read { session throws(PostgresError) in
            var found: [NameMatch] = []
            for row in try session.run([Query(NameStatements.indexed, .stored(name))])[0] {
                found += NameMatch.indexed(
                    name, appID: try row.stored(0), hasDevice: try row.bool(1), isBlocked: try row.bool(2), isRevoked: try row.bool(3),
                    hasComment: try row.bool(4))
            }
            return found
        }
    }

    func devices(named deviceID: String, after: Device.Key?, limit: Int) throws(StoreError) -> (found: [Device.Key], next: Device.Key?) {
        let parameters: [Parameter] = [
            .stored(deviceID), .stored(after?.appID), .stored(after?.userID ?? ""), .stored(after?.deviceID ?? ""),
            .int8(settings.eventsPerStep), .int8(Int64(limit)),
        ]
        return try read { session throws(PostgresError) in
            var (found, next) = ([Device.Key](), Device.Key?.none)
            for row in try session.run([Query(NameStatements.devices, parameters)])[0] {
                let key = Device.Key(appID: try row.stored(0), userID: try row.stored(1), deviceID: try row.stored(2))
                if try row.bool(3) { found.append(key) }
                if try row.bool(4) || found.count == limit { next = key }
            }
            return (found, next)
        }
    }

    func eventEnds() throws(StoreError) -> (oldest: Int64, newest: Int64) {
        try read { session throws(PostgresError) in try session.eventNumbers() }
    }

    func eventMatches(of name: String, after: Int64, before: Int64) throws(StoreError) -> [NameMatch] {
        try read { session throws(PostgresError) in
            var found: Set<NameMatch> = []
            for row in try session.run([Query(NameStatements.events, .int8(after), .int8(before), .stored(name))])[0] {
                found.formUnion(
                    NameMatch.ofEvent(name, appID: try row.stored(0), isUser: try row.bool(1), isTicket: try row.bool(2)))
            }
            return Array(found)
        }
    }
}

private enum NameStatements {
    // LIMIT makes the planner search the index for each app. Otherwise it may scan the whole table once.
    static let indexed: StaticString = """
        SELECT app_id,
            (SELECT true FROM devices WHERE app = apps.number AND user_id = $1 AND token IS NOT NULL LIMIT 1) IS NOT NULL,
            (SELECT true FROM revocations
                WHERE app = apps.number AND user_id = $1 AND former IS NULL AND issued_before IS NULL LIMIT 1) IS NOT NULL,
            (SELECT true FROM revocations
                WHERE app = apps.number AND user_id = $1 AND former IS NULL AND issued_before IS NOT NULL LIMIT 1) IS NOT NULL,
            (SELECT true FROM events WHERE app = apps.number AND comment_id = $1 LIMIT 1) IS NOT NULL
        FROM apps ORDER BY app_id
        """
    // Returns matching rows, and the last row of a full step. Stops at the limit.
    static let devices: StaticString = """
        SELECT app_id, user_id, device_id, is_match, place = $5 FROM (
            SELECT app, user_id, device_id, row_number() OVER (ORDER BY app, user_id, device_id) AS place,
                device_id = $1 AND token IS NOT NULL AS is_match
            FROM devices WHERE (app, user_id, device_id) > (coalesce((SELECT number FROM apps WHERE app_id = $2), 0), $3, $4)
            ORDER BY app, user_id, device_id LIMIT $5
        ) AS step JOIN apps ON number = app WHERE is_match OR place = $5 ORDER BY app, user_id, device_id LIMIT $6
        """
    static let events: StaticString = """
        SELECT DISTINCT app_id, user_id = $3, coalesce(ticket_id = $3, false) FROM events JOIN apps ON apps.number = app
        WHERE events.number > $1 AND events.number < $2 AND (user_id = $3 OR ticket_id = $3)
        """
}
