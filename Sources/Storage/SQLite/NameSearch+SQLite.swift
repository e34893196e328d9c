package import Core
internal import SQLite

/// The search for a name. Others can read between its steps.
extension SQLiteStore {
    package func search(for query: NameQuery, after: NameCursor?, limit: Int) throws(StoreError) -> NamePage {
        try searchNames(query, after: after, limit: limit)
    }
}

extension SQLiteStore: NameSearcher {
    func indexedMatches(of name: String) throws(StoreError) -> [NameMatch] {
        try read(listReader) { database throws(SQLiteError) in try database.nameQueries.indexedMatches(of: name) }
    }

    func devices(named deviceID: String, after: Device.Key?, limit: Int) throws(StoreError) -> (found: [Device.Key], next: Device.Key?) {
        let rows = Int(settings.eventsPerStep)
        return try read(listReader) { database throws(SQLiteError) in
            try database.nameQueries.devices(named: deviceID, after: after, rows: rows, limit: limit)
        }
    }

    func eventEnds() throws(StoreError) -> (oldest: Int64, newest: Int64) {
        try read(listReader) { database throws(SQLiteError) in try database.events() }
    }

    func eventMatches(of name: String, after: Int64, before: Int64) throws(StoreError) -> [NameMatch] {
        try read(listReader) { database throws(SQLiteError) in
            try database.nameQueries.eventMatches(of: name, after: after, before: before)
        }
    }
}

struct NameQueries {
    private let indexed, devices, events: Statement

    init(_ connection: Connection) throws(SQLiteError) {
        indexed = try Statement(
            connection,
            """
            SELECT app_id, EXISTS (SELECT 1 FROM devices WHERE app = apps.number AND user_id = ?1 AND token IS NOT NULL),
                EXISTS (
                    SELECT 1 FROM revocations
                    WHERE app = apps.number AND user_id = ?1 AND former IS NULL AND issued_before IS NULL),
                EXISTS (
                    SELECT 1 FROM revocations
                    WHERE app = apps.number AND user_id = ?1 AND former IS NULL AND issued_before IS NOT NULL),
                EXISTS (SELECT 1 FROM events WHERE app = apps.number AND comment_id = ?1)
            FROM apps ORDER BY app_id
            """)
        // Reads also the rows that do not match, so that one pass finds the end of the step.
        devices = try Statement(
            connection,
            """
            SELECT app_id, user_id, device_id, device_id = ?1 AND token IS NOT NULL
            FROM devices CROSS JOIN apps ON number = app
            WHERE (app, user_id, device_id) > (coalesce((SELECT number FROM apps WHERE app_id = ?2), 0), ?3, ?4)
            ORDER BY app, user_id, device_id LIMIT ?5
            """)
        events = try Statement(
            connection,
            """
            SELECT app_id, user_id = ?3, ticket_id IS ?3 FROM events CROSS JOIN apps ON apps.number = app
            WHERE events.number > ?1 AND events.number < ?2 AND (user_id = ?3 OR ticket_id = ?3)
            """)
    }

    func indexedMatches(of name: String) throws(SQLiteError) -> [NameMatch] {
        var found: [NameMatch] = []
        try indexed.forEachRow(name) { row throws(SQLiteError) in
            found += NameMatch.indexed(
                name, appID: try row.string(0), hasDevice: try row.int64(1) != 0, isBlocked: try row.int64(2) != 0,
                isRevoked: try row.int64(3) != 0, hasComment: try row.int64(4) != 0)
        }
        return found
    }

    /// Searches the next `rows` rows for `NameSearcher`.
    func devices(
        named deviceID: String, after: Device.Key?, rows: Int, limit: Int
    ) throws(SQLiteError) -> (found: [Device.Key], next: Device.Key?) {
        defer { devices.reset() }
        devices.bind(deviceID, at: 1)
        devices.bind(after?.appID, at: 2)
        devices.bind(after?.userID ?? "", at: 3)
        devices.bind(after?.deviceID ?? "", at: 4)
        devices.bind(rows, at: 5)
        var (found, count) = ([Device.Key](), 0)
        while try devices.step() {
            count += 1
            let isMatch = try devices.int64(3) != 0
            guard isMatch || count == rows else { continue }
            let key = Device.Key(appID: try devices.string(0), userID: try devices.string(1), deviceID: try devices.string(2))
            if isMatch { found.append(key) }
            if found.count == limit || count == rows { return (found, key) }
        }
        return (found, nil)
    }

    func eventMatches(of name: String, after: Int64, before: Int64) throws(SQLiteError) -> [NameMatch] {
        var found: Set<NameMatch> = []
        try events.forEachRow(after, before, name) { row throws(SQLiteError) in
            found.formUnion(
                NameMatch.ofEvent(name, appID: try row.string(0), isUser: try row.int64(1) != 0, isTicket: try row.int64(2) != 0))
        }
        return Array(found)
    }
}
