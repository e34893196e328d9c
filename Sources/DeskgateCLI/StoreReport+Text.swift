internal import Core
internal import JSON
internal import Storage

extension StoreReport {
    /// The answer of `store status --json`.
    var json: JSONObject {
        var json: JSONObject = [
            "store": .string(place), "version": .integer(Int64(version)), "latest": .integer(Int64(latest)),
            "bytes": .integer(Int64(bytes)),
            "parts": .array(
                parts.map { part in
                    var json: JSONObject = ["name": .string(part.name), "bytes": .integer(Int64(part.bytes))]
                    if let rows = part.rows { json.append(.integer(Int64(rows)), forKey: "rows") }
                    if let dead = part.deadRows { json.append(.integer(Int64(dead)), forKey: "dead_rows") }
                    return .object(json)
                }),
        ]
        if let server { json.append(.object(server.json), forKey: "server") }
        return json
    }

    /// The answer of `store status` for people.
    var text: String {
        var lines = ["\(place): schema \(version)\(version == latest ? "" : ", this program's is \(latest)"), \(Self.size(bytes))"]
        for part in parts where part.rows == nil || part.bytes > 0 {
            let rows = part.rows.map { ", about \($0) rows and \(part.deadRows ?? 0) dead ones" } ?? ""
            lines.append("  \(part.name): \(Self.size(part.bytes))\(rows)")
        }
        return (lines + (server?.lines ?? [])).joined(separator: "\n")
    }

    fileprivate static func size(_ bytes: UInt64) -> String {
        bytes < 10 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
    }
}

extension ServerReport {
    fileprivate var json: JSONObject {
        [
            "version": .string(version), "is_standby": .bool(isStandby), "synchronous_commit": .string(synchronousCommit),
            "connections": .integer(Int64(connections)), "max_connections": .integer(Int64(mostConnections)),
            "oldest_transaction": oldest.map {
                ["milliseconds": .integer(Int64($0.milliseconds)), "owner": .string($0.owner)]
            } ?? .null,
            "replicas": .array(
                replicas.map { ["id": .string($0.id), "silent_milliseconds": .integer(Int64($0.silentMilliseconds))] }),
            "standbys": .array(
                standbys.map {
                    [
                        "name": .string($0.name), "state": .string($0.state), "synchronization": .string($0.synchronization),
                        "behind_bytes": .integer(Int64($0.behindBytes)),
                    ]
                }),
            "slots": .array(
                slots.map { ["name": .string($0.name), "active": .bool($0.isActive), "kept_bytes": .integer(Int64($0.keptBytes))] }),
            "pending": .array(pending.map { ["notifier": .string($0.notifier), "count": .integer(Int64($0.count))] }),
            "warnings": .array(warnings.map { .string($0) }),
        ]
    }

    fileprivate var lines: [String] {
        var lines = [
            "PostgreSQL \(version)\(isStandby ? ", a standby" : ""), synchronous_commit \(synchronousCommit), "
                + "\(connections) of \(mostConnections) connections"
        ]
        lines += replicas.map { "  replica \($0.id), heard of \($0.silentMilliseconds / 1000) s ago" }
        lines += standbys.map { "  standby \($0.name): \($0.state), \($0.synchronization), \(StoreReport.size($0.behindBytes)) behind" }
        lines += slots.map { "  slot \($0.name): \($0.isActive ? "active" : "not read"), keeps \(StoreReport.size($0.keptBytes))" }
        lines += pending.map { "  \($0.count) deliveries wait for \($0.notifier)" }
        if let oldest { lines.append("  oldest transaction: \(oldest.milliseconds / 1000) s, of \(oldest.owner)") }
        return lines + warnings.map { "warning: \($0)" }
    }
}
