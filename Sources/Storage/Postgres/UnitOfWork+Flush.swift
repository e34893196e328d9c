internal import Core
internal import Postgres
internal import Time

extension UnitOfWork {
    /// Returns the statements that write the changes of the rules, in the order in which they must run.
    func flush() throws(PostgresError) -> [Query] {
        try deviceRows() + personRows() + forgottenPersonRows() + deviceCallRows() + windowRows()
    }

    /// Clears the changes after they were written.
    func wrote() {
        for key in changedDevices { storedDigests[key] = nil }
        (changedDevices, changedPersons, changedDeviceCalls) = ([], [:], [:])
        (newCalls, forgottenCalls) = ([], [:])
    }

    private func deviceRows() throws(PostgresError) -> [Query] {
        var (removed, changed) = (DeviceRows(), DeviceRows())
        var moved = DeviceRows()
        for key in changedDevices.sorted() {
            let app = try number(key.appID)
            guard let device = try device(key) else {
                removed.add(key, app)
                continue
            }
            changed.add(device, app)
            if let stored = storedDigests[key], device.digest != stored || device.token == nil { moved.add(key, app) }
        }
        var queries: [Query] = []
        if !removed.isEmpty { queries.append(Query(FlushStatements.removeDevices, removed.keys)) }
        // Tokens are first removed from their former devices, because a token may move to another device in the same batch.
        if !moved.isEmpty { queries.append(Query(FlushStatements.takeTokens, moved.keys)) }
        if !changed.isEmpty { queries.append(Query(FlushStatements.putDevices, changed.all)) }
        return queries
    }

    private func personRows() -> [Query] {
        guard !changedPersons.isEmpty else { return [] }
        let keys = changedPersons.keys.sorted()
        return [
            Query(
                FlushStatements.putCalls,
                [
                    .int4Array(keys.map(\.app)), .storedArray(keys.map(\.userID.text)),
                    .byteaArray(keys.map { persons[$0]?.calls.bytes ?? [] }),
                    .int8Array(keys.map { (changedPersons[$0] ?? nil)?.stored }),
                ])
        ]
    }

    /// Deletes the rows of forgotten persons, which were created only to be locked.
    private func forgottenPersonRows() throws(PostgresError) -> [Query] {
        guard removesForgottenPersons else { return [] }
        var keys: [PersonKey] = []
        for key in persons.keys {
            let appID = try session.name(ofApp: key.app)
            let known = try revocations(appID: appID, userID: key.userID.text)
            if (try? known.isForgotten(appID: appID.utf8.span, userID: key.userID.text.utf8.span)) == true { keys.append(key) }
        }
        guard !keys.isEmpty else { return [] }
        keys.sort()
        return [Query(FlushStatements.removePersons, .int4Array(keys.map(\.app)), .storedArray(keys.map(\.userID.text)))]
    }

    private func deviceCallRows() -> [Query] {
        let kept = changedDeviceCalls.compactMapValues { $0 }.sorted { $0.key < $1.key }
        let removed = changedDeviceCalls.filter { $0.value == nil }.keys.sorted()
        var queries: [Query] = []
        if !removed.isEmpty { queries.append(Query(FlushStatements.removeDeviceCalls, [.int8Array(removed)])) }
        if !kept.isEmpty {
            queries.append(
                Query(
                    FlushStatements.putDeviceCalls,
                    [
                        .int8Array(kept.map(\.key)), .int8Array(kept.map(\.value.stored)),
                        .byteaArray(kept.map { deviceCalls[$0.key]?.bytes ?? [] }),
                    ]))
        }
        return queries
    }

    private func windowRows() -> [Query] {
        guard !newCalls.isEmpty else { return [] }
        let heads = Set(newCalls.map(\.app)).sorted()
        var queries = [
            Query(
                FlushStatements.insertCalls,
                [.int4Array(newCalls.map(\.app)), .int8Array(newCalls.map(\.number)), .int8Array(newCalls.map(\.at.stored))]),
            Query(FlushStatements.putWindows, [.int4Array(heads), .int8Array(heads.map { windows[$0]?.last ?? 0 })]),
        ]
        if !forgottenCalls.isEmpty {
            let apps = forgottenCalls.keys.sorted()
            queries.append(Query(FlushStatements.forgetCalls, [.int4Array(apps), .int8Array(apps.map { forgottenCalls[$0] ?? 0 })]))
        }
        return queries
    }
}

/// Rows of `devices` by columns, as `unnest` takes them.
private struct DeviceRows {
    private var apps: [Int32] = []
    private var users: [String] = []
    private var names: [String] = []
    private var types: [String] = []
    private var tokens: [String?] = []
    private var digests: [[UInt8]?] = []
    private var environments: [String?] = []
    private var registered: [Int64] = []
    private var seen: [Int64] = []
    private var fromApp: [Bool] = []
    private var issued: [Int64] = []
    private var keyIDs: [Int64?] = []
    private var salts: [[UInt8]?] = []

    var isEmpty: Bool { apps.isEmpty }
    var keys: [Parameter] { [.int4Array(apps), .storedArray(users), .storedArray(names)] }
    var all: [Parameter] {
        keys + [
            .storedArray(types), .storedArray(tokens), .byteaArray(digests), .storedArray(environments), .int8Array(registered),
            .int8Array(seen),
            .boolArray(fromApp), .int8Array(issued), .int8Array(keyIDs), .byteaArray(salts),
        ]
    }

    mutating func add(_ key: Device.Key, _ app: Int32) {
        apps.append(app)
        users.append(key.userID)
        names.append(key.deviceID)
    }

    mutating func add(_ device: RegistryDevice, _ app: Int32) {
        add(device.key, app)
        types.append(device.type)
        tokens.append(device.token?.text)
        digests.append(device.digest)
        environments.append(device.environment)
        registered.append(device.registeredAt.stored)
        seen.append(device.seenAt.stored)
        fromApp.append(device.isReportedByApp)
        issued.append(device.claims.issuedAt.rawValue.stored)
        keyIDs.append(device.claims.key.map { Int64($0.keyID) })
        salts.append(device.claims.key?.salt)
    }
}

private enum FlushStatements {
    static let removeDevices: StaticString = """
        DELETE FROM devices USING unnest($1::integer[], $2::text[], $3::text[]) AS gone (app, user_id, device_id)
        WHERE devices.app = gone.app AND devices.user_id = gone.user_id AND devices.device_id = gone.device_id
        """
    static let takeTokens: StaticString = """
        UPDATE devices SET token = NULL FROM unnest($1::integer[], $2::text[], $3::text[]) AS moved (app, user_id, device_id)
        WHERE devices.app = moved.app AND devices.user_id = moved.user_id AND devices.device_id = moved.device_id
        """
    static let putDevices: StaticString = """
        INSERT INTO devices (app, user_id, device_id, type, token, digest, environment, registered_at, seen_at, from_app, issued_at, key_id,
            salt)
        SELECT * FROM unnest($1::integer[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bytea[], $7::text[], $8::bigint[],
            $9::bigint[], $10::boolean[], $11::bigint[], $12::bigint[], $13::bytea[])
        ON CONFLICT (app, user_id, device_id) DO UPDATE SET type = excluded.type, token = excluded.token, digest = excluded.digest,
            environment = excluded.environment, registered_at = excluded.registered_at, seen_at = excluded.seen_at,
            from_app = excluded.from_app, issued_at = excluded.issued_at, key_id = excluded.key_id, salt = excluded.salt
        """
    static let putCalls: StaticString = """
        UPDATE persons SET calls = changed.calls, called_at = changed.at
        FROM unnest($1::integer[], $2::text[], $3::bytea[], $4::bigint[]) AS changed (app, user_id, calls, at)
        WHERE persons.app = changed.app AND persons.user_id = changed.user_id
        """
    static let removePersons: StaticString = """
        DELETE FROM persons USING unnest($1::integer[], $2::text[]) AS former (app, user_id)
        WHERE persons.app = former.app AND persons.user_id = former.user_id
        """
    static let removeDeviceCalls: StaticString = "DELETE FROM device_calls WHERE device = ANY ($1::bigint[])"
    static let putDeviceCalls: StaticString = """
        INSERT INTO device_calls (device, at, times) SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[])
        ON CONFLICT (device) DO UPDATE SET at = excluded.at, times = excluded.times
        """
    static let insertCalls: StaticString = """
        INSERT INTO window_calls (app, number, at) SELECT * FROM unnest($1::integer[], $2::bigint[], $3::bigint[])
        """
    static let putWindows: StaticString = """
        UPDATE windows SET last = changed.last FROM unnest($1::integer[], $2::bigint[]) AS changed (app, last)
        WHERE windows.app = changed.app
        """
    static let forgetCalls: StaticString = """
        DELETE FROM window_calls USING unnest($1::integer[], $2::bigint[]) AS old (app, number)
        WHERE window_calls.app = old.app AND window_calls.number <= old.number
        """
}
