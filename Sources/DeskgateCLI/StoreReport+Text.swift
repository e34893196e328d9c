internal import Core
internal import JSON
internal import Storage

extension StoreReport {
    /// The output of `store status --json`.
    func json(_ warnings: [String]) -> JSONObject {
        var json: JSONObject = [
            "store": .string(place), "version": .integer(Int64(version)), "latest": .integer(Int64(latest)),
            "bytes": .integer(Int64(bytes)), "parts": .array(parts.map(\.json)), "beside": .array(beside.map(\.json)),
            "free_bytes": freeBytes.map { .integer(Int64(clamping: $0)) } ?? .null, "warnings": .array(warnings.map { .string($0) }),
        ]
        if let server { json.append(.object(server.json), forKey: "server") }
        return json
    }

    /// The output of `store status` for people.
    /// - Parameter room: the free space of its disk; nil where unknown.
    func text(_ warnings: [String], room: String?) -> String {
        var lines = ["\(place): schema \(version)\(version == latest ? "" : ", this program needs \(latest)"), \(Self.size(bytes))"]
        for part in parts where part.rows == nil || part.bytes > 0 {
            let rows = part.rows.map { ", about \($0) rows and \(part.deadRows ?? 0) dead ones" } ?? ""
            lines.append("  \(part.name): \(Self.size(part.bytes))\(rows)")
        }
        lines += beside.map { "  beside it \($0.name): \(Self.size($0.bytes))" }
        if let room, !warnings.contains(room) { lines.append("  \(room)") }
        return (lines + (server?.lines ?? []) + warnings.map { "warning: \($0)" }).joined(separator: "\n")
    }

    fileprivate static func size(_ bytes: UInt64) -> String {
        bytes < 10 << 20 ? "\(bytes >> 10) KiB" : "\(bytes >> 20) MiB"
    }
}

extension StoreReport.Part {
    fileprivate var json: JSONValue {
        var json: JSONObject = ["name": .string(name), "bytes": .integer(Int64(bytes))]
        if let rows { json.append(.integer(Int64(rows)), forKey: "rows") }
        if let deadRows { json.append(.integer(Int64(deadRows)), forKey: "dead_rows") }
        return .object(json)
    }
}

extension ServerReport {
    fileprivate var json: JSONObject {
        [
            "version": .string(version), "is_standby": .bool(isStandby), "synchronous_commit": .string(synchronousCommit),
            "connections": connections.map { .integer(Int64($0)) } ?? .null, "max_connections": .integer(Int64(maximumConnections)),
            "oldest_transaction": oldest.map {
                ["milliseconds": .integer(Int64($0.milliseconds)), "owner": .string($0.owner)]
            } ?? .null,
            "replicas": .array(
                replicas.map { ["id": .string($0.id), "silent_milliseconds": .integer(Int64($0.silentMilliseconds))] }),
            "standbys": .array(
                standbys.map {
                    [
                        "name": .string($0.name), "state": $0.state.map { .string($0) } ?? .null,
                        "synchronization": $0.synchronization.map { .string($0) } ?? .null,
                        "behind_bytes": $0.behindBytes.map { .integer(Int64($0)) } ?? .null,
                    ]
                }),
            "slots": .array(
                slots.map { ["name": .string($0.name), "active": .bool($0.isActive), "kept_bytes": .integer(Int64($0.keptBytes))] }),
            "pending": .array(pending.map { ["notifier": .string($0.notifier), "count": .integer(Int64($0.count))] }),
            "missing_grant": missingGrant.map { .string($0) } ?? .null, "warnings": .array(warnings.map { .string($0) }),
        ]
    }

    fileprivate var lines: [String] {
        var lines = [
            "PostgreSQL \(version)\(isStandby ? ", a standby" : ""), synchronous_commit \(synchronousCommit), "
                + "\(connections.map { "\($0)" } ?? "unknown") of \(maximumConnections) connections"
        ]
        lines += replicas.map { "  replica \($0.id), seen \($0.silentMilliseconds / 1000) s ago" }
        lines += standbys.map(\.line)
        lines += slots.map { "  slot \($0.name): \($0.isActive ? "active" : "no reader"), keeps \(StoreReport.size($0.keptBytes))" }
        lines += pending.map { "  \($0.count) deliveries wait for \($0.notifier)" }
        if let oldest {
            lines.append("  oldest transaction: \(oldest.milliseconds / 1000) s, of \(oldest.owner)")
        } else if missingGrant != nil {
            lines.append("  oldest transaction: unknown")
        }
        if let blindSpot { lines.append("  \(blindSpot)") }
        return lines
    }
}

extension ServerReport.Standby {
    fileprivate var line: String {
        let behind = behindBytes.map { "\(StoreReport.size($0)) behind" } ?? "lag unknown"
        return "  standby \(name): \(state ?? "state unknown"), \(synchronization ?? "synchronization unknown"), \(behind)"
    }
}
