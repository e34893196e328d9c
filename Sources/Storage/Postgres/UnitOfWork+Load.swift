internal import Core
internal import Postgres
internal import Time

/// Locking and reading, with one statement per table.
extension UnitOfWork {
    /// Locks persons, in the order of their keys, and reads their devices.
    func load(persons keys: some Collection<PersonKey>) throws(PostgresError) {
        let wanted = keys.filter { persons[$0] == nil }.sorted()
        guard !wanted.isEmpty else { return }
        try take(persons: wanted, try session.run(Self.queries(persons: wanted))[...])
    }

    /// The queries of `load(persons:)`, for a round trip with others.
    /// - Parameter wanted: the persons, in order.
    static func queries(persons wanted: [PersonKey]) -> [Query] {
        let (apps, users) = (wanted.map(\.app), wanted.map(\.userID.text))
        return [PersonStatements.insert, PersonStatements.lock, PersonStatements.devices].map {
            Query($0, [.int4Array(apps), .storedArray(users)])
        } + [PostgresSession.revocationVersionQuery]
    }

    /// The number of queries in `queries(persons:)`.
    static let personQueryCount = 4

    /// Adds the results of `queries(persons:)`.
    func take(persons wanted: [PersonKey], _ results: ArraySlice<Rows>) throws(PostgresError) {
        for key in wanted { persons[key] = RegistryPerson() }
        var missing = Set(wanted)
        for row in results[results.startIndex + 1] {
            let key = try PersonKey(row)
            missing.remove(key)
            persons[key]?.calls = CallTimes(bytes: try row.bytes(2))
        }
        for row in results[results.startIndex + 2] {
            let key = try PersonKey(row)
            let device = try RegistryDevice(row, appID: try session.name(ofApp: key.app))
            persons[key]?.devices.append(device)
            guard device.token != nil, let digest = device.digest else { continue }
            holders[TokenKey(app: key.app, digest: digest)] = .some(key)
            storedDigests[device.key] = digest
        }
        (revocationVersion, revocations) = (try PostgresSession.revocationVersion(results[results.startIndex + 3]), nil)
        guard !missing.isEmpty else { return }
        // Another transaction deleted these rows between the statement that inserts them and the one that locks them.
        let again = missing.sorted()
        try take(persons: again, try session.run(Self.queries(persons: again))[...])
    }

    /// Returns the current holders of tokens, without a lock.
    func holdersNow(_ keys: some Collection<TokenKey>) throws(PostgresError) -> Set<PersonKey> {
        guard !keys.isEmpty else { return [] }
        var persons: Set<PersonKey> = []
        for row in try session.run([holderQuery(Array(keys))])[0] { persons.insert(try PersonKey(row)) }
        return persons
    }

    private func holderQuery(_ keys: [TokenKey]) -> Query {
        Query(PersonStatements.holders, .int4Array(keys.map(\.app)), .byteaArray(keys.map(\.digest)))
    }

    /// Finds the holders of tokens, and locks and reads those persons too. A person who takes a token in the meantime is found in the next
    /// round.
    func load(holders keys: some Collection<TokenKey>) throws(PostgresError) {
        while true {
            let wanted = keys.filter { holders[$0] == nil }
            guard !wanted.isEmpty else { return }
            let rows = try session.run([holderQuery(Array(wanted))])[0]
            var strangers: Set<PersonKey> = []
            var found: Set<TokenKey> = []
            for row in rows {
                let person = try PersonKey(row)
                found.insert(TokenKey(app: person.app, digest: try row.bytes(2)))
                if persons[person] == nil { strangers.insert(person) }
            }
            for key in wanted where !found.contains(key) { holders[key] = .some(nil) }
            guard !strangers.isEmpty else { return }
            try load(persons: strangers)
        }
    }

    /// Devices without activity since a time, tombstones included, the oldest first; their persons are locked.
    func loadIdle(seenBefore time: UnixMilliseconds, limit: Int) throws(PostgresError) -> [RegistryDevice] {
        let rows = try session.run([Query(PersonStatements.idle, .int8(time.stored), .int8(Int64(limit)))])[0]
        var idle: [Device.Key] = []
        for row in rows {
            let app = try session.name(ofApp: try row.int32(0))
            idle.append(Device.Key(appID: app, userID: try row.stored(1), deviceID: try row.stored(2)))
        }
        var keys: Set<PersonKey> = []
        for key in idle { keys.insert(try self.key(key.appID, key.userID)) }
        try load(persons: keys)
        var found: [RegistryDevice] = []
        for key in idle {
            // It may have been seen before its person was locked.
            if let device = try device(key), device.seenAt < time { found.append(device) }
        }
        return found
    }

    /// Deletes the calls of persons and devices without a record since a time, a limited number each time.
    func forgetIdleCalls(before time: UnixMilliseconds) throws(PostgresError) {
        _ = try session.run([
            Query(PersonStatements.forgetCalls, .int8(time.stored)), Query(PersonStatements.forgetDeviceCalls, .int8(time.stored)),
        ])
    }

    /// Locks and reads the recorded calls of apps and of the service.
    func load(windows apps: some Collection<Int32>) throws(PostgresError) {
        let wanted = apps.filter { windows[$0] == nil }
        guard !wanted.isEmpty else { return }
        for (app, last) in try session.lockWindows(Array(wanted)) { windows[app] = Window(last: last, times: [:]) }
    }

    /// Locks and reads the recorded calls of devices.
    func load(deviceCalls numbers: some Collection<Int64>) throws(PostgresError) {
        let wanted = Set(numbers).filter { deviceCalls[$0] == nil }.sorted()
        guard !wanted.isEmpty else { return }
        let results = try session.run([
            Query(PersonStatements.insertDeviceCalls, [.int8Array(wanted)]), Query(PersonStatements.lockDeviceCalls, [.int8Array(wanted)]),
        ])
        for number in wanted { deviceCalls[number] = CallTimes() }
        for row in results[1] { deviceCalls[try row.int64(0)] = CallTimes(bytes: try row.bytes(1)) }
    }
}

extension UnitOfWork.PersonKey {
    fileprivate init(_ row: Row) throws(PostgresError) {
        self.init(app: try row.int32(0), userID: ByteKey(try row.stored(1)))
    }
}

extension RegistryDevice {
    /// Reads a row of `PersonStatements.devices`.
    init(_ row: Row, appID: String) throws(PostgresError) {
        let key = Device.Key(appID: appID, userID: try row.stored(1), deviceID: try row.stored(2))
        let (text, digest) = (try row.optionalStored(4), try row.optionalBytes(5))
        let token = if let text, let digest { PushToken(text, digest: digest) } else { nil as PushToken? }
        self.init(
            key: key, type: try row.stored(3), token: token, digest: digest, environment: try row.optionalStored(6),
            registeredAt: try row.time(7), seenAt: try row.time(8), isReportedByApp: try row.bool(9),
            claims: KeyClaims(
                issuedAt: UnixSeconds(rawValue: UInt64(clamping: try row.int64(10))), keyID: try row.optionalInt64(11),
                salt: try row.optionalBytes(12)))
    }
}

/// The statements of the registry. Rows are locked in the order of their keys.
private enum PersonStatements {
    static let insert: StaticString = """
        INSERT INTO persons (app, user_id) SELECT app, user_id FROM unnest($1::integer[], $2::text[]) AS wanted (app, user_id)
        ORDER BY app, user_id COLLATE "C" ON CONFLICT DO NOTHING
        """
    static let lock: StaticString = """
        SELECT persons.app, persons.user_id, calls FROM unnest($1::integer[], $2::text[]) AS wanted (app, user_id)
            JOIN persons ON persons.app = wanted.app AND persons.user_id = wanted.user_id
        ORDER BY persons.app, persons.user_id FOR NO KEY UPDATE OF persons
        """
    static let devices: StaticString = """
        SELECT devices.app, devices.user_id, device_id, type, token, digest, environment, registered_at, seen_at, from_app, issued_at,
            key_id, salt
        FROM unnest($1::integer[], $2::text[]) AS wanted (app, user_id)
            JOIN devices ON devices.app = wanted.app AND devices.user_id = wanted.user_id
        ORDER BY devices.app, devices.user_id, device_id
        """
    static let holders: StaticString = """
        SELECT devices.app, user_id, devices.digest FROM unnest($1::integer[], $2::bytea[]) AS wanted (app, digest)
            JOIN devices ON devices.app = wanted.app AND devices.digest = wanted.digest AND token IS NOT NULL
        """
    static let idle: StaticString = """
        SELECT app, user_id, device_id FROM devices WHERE seen_at < $1 ORDER BY seen_at, app, user_id, device_id LIMIT $2
        """
    static let forgetCalls: StaticString = """
        WITH idle AS MATERIALIZED (
            SELECT app, user_id FROM persons WHERE called_at < $1 ORDER BY called_at LIMIT 100 FOR UPDATE SKIP LOCKED
        )
        DELETE FROM persons USING idle
        WHERE persons.app = idle.app AND persons.user_id = idle.user_id
        """
    static let forgetDeviceCalls: StaticString = """
        WITH idle AS MATERIALIZED (
            SELECT device FROM device_calls WHERE at < $1 ORDER BY at LIMIT 100 FOR UPDATE SKIP LOCKED
        )
        DELETE FROM device_calls USING idle
        WHERE device_calls.device = idle.device
        """
    static let insertDeviceCalls: StaticString = """
        INSERT INTO device_calls (device, at, times) SELECT device, 0, '' FROM unnest($1::bigint[]) AS wanted (device)
        ORDER BY device ON CONFLICT DO NOTHING
        """
    static let lockDeviceCalls: StaticString = """
        SELECT device, times FROM device_calls WHERE device = ANY ($1::bigint[]) ORDER BY device FOR NO KEY UPDATE
        """
}
