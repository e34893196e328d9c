internal import Core
internal import SQLite

/// Merges devices that have one push token in two forms: before schema 10 the hexadecimal digits of APNs' tokens were stored in the case in
/// which they arrived, so that one phone could be registered for two persons.
enum TokenForms {
    private struct Row {
        let app: Int64
        let userID: String
        let deviceID: String
        let token: String
        let seenAt: Int64
    }

    /// Gives each token its canonical form. Of several devices with one token the one seen last keeps it, and the others become tombstones.
    static func join(on connection: Connection) throws(SQLiteError) {
        var rows: [Row] = []
        let find = try Statement(
            connection,
            """
            SELECT app, user_id, device_id, token, seen_at FROM devices
            WHERE token GLOB '*[A-F]*' AND token NOT GLOB '*[^0-9A-Fa-f]*' ORDER BY seen_at DESC, registered_at DESC
            """)
        try find.forEachRow { row throws(SQLiteError) in
            rows.append(
                Row(
                    app: try row.int64(0), userID: try row.string(1), deviceID: try row.string(2), token: try row.string(3),
                    seenAt: try row.int64(4)))
        }
        let holder = try Statement(connection, "SELECT seen_at FROM devices WHERE app = ?1 AND digest = ?2 AND token IS NOT NULL")
        let end = try Statement(connection, "UPDATE devices SET token = NULL WHERE app = ?1 AND digest = ?2 AND token IS NOT NULL")
        let change = try Statement(
            connection, "UPDATE devices SET token = ?4, digest = ?5 WHERE app = ?1 AND user_id = ?2 AND device_id = ?3")
        for row in rows {
            // A row that keeps its form, because memory was exhausted, gets the canonical form when its app registers again.
            guard let token = try? PushToken(row.token), token.text != row.token else { continue }
            var seenAt: Int64?
            try holder.forEachRow(row.app, token.digest) { row throws(SQLiteError) in seenAt = try row.int64(0) }
            let staysRegistered = seenAt.map { $0 < row.seenAt } ?? true
            if staysRegistered { try end.run(row.app, token.digest) }
            try change.run(row.app, row.userID, row.deviceID, staysRegistered ? token.text : nil as String?, token.digest)
        }
    }
}
