package import Core

/// The state of a store as seen from outside the service.
package struct StoreReport: Sendable {
    /// A file or a table with its size.
    package struct Part: Sendable, Equatable {
        package let name: String
        /// The size on the disk with indexes, in bytes.
        package let bytes: UInt64
        /// PostgreSQL's estimate of a table's rows; nil for a file.
        package let rows: Int?
        /// PostgreSQL's estimate of a table's dead row versions; nil for a file.
        package let deadRows: Int?
    }

    package let place: String
    /// The version of the schema; 0 when there is none yet.
    package let version: Int
    /// The version to which this program migrates it.
    package let latest: Int
    /// The files or tables, the largest first.
    package let parts: [Part]
    /// Former stores and saved databases beside a file, which no service uses.
    package let beside: [Part]
    /// The free bytes on the file's disk; nil where unknown.
    package let freeBytes: UInt64?
    /// Additional properties of a database server; nil for a file.
    package let server: ServerReport?

    /// The size on the disk in bytes.
    package var bytes: UInt64 { parts.reduce(0) { $0 + $1.bytes } }
}

package struct ServerReport: Sendable {
    /// The reason why a service could not use it, with the remedy; nil when it could.
    package let obstacle: String?
    /// PostgreSQL's version, such as `15.4`.
    package let version: String
    /// Whether the server is read-only, as a standby is.
    package let isStandby: Bool
    /// The setting `synchronous_commit`.
    package let synchronousCommit: String
    /// The setting `synchronous_standby_names`; empty when commits wait for no standby.
    package let synchronousStandbyNames: String
    /// Nil when unknown.
    package let connections: Int?
    package let maximumConnections: Int
    /// The longest open transaction, because dead rows since its start cannot be removed; nil when none is visible. While `missingGrant` is
    /// set, only this role's transactions are visible.
    package let oldest: OldTransaction?
    package let replicas: [Replica]
    package let standbys: [Standby]
    package let slots: [Slot]
    /// Pending deliveries by notifier, in the order of the names' bytes.
    package let pending: [PendingDeliveries]
    /// Milliseconds by which the server's clock is ahead of the local one, accurate to about the duration of the query.
    package let clockOffsetMilliseconds: Int64
    /// The SQL that lets this role see other roles' sessions and the state of standbys; nil when it can see them.
    package let missingGrant: String?

    /// A transaction that has been open for some time.
    package struct OldTransaction: Sendable {
        /// The time since its start, in milliseconds.
        package let milliseconds: UInt64
        /// The role and program, such as `backup/pg_dump`; its statements are not shown.
        package let owner: String
    }

    package struct Replica: Sendable {
        /// The replica's random name in the store.
        package let id: String
        /// Milliseconds since its last heartbeat.
        package let silentMilliseconds: UInt64
    }

    package struct Standby: Sendable {
        /// The `application_name`.
        package let name: String
        /// PostgreSQL's values: `streaming`, and `sync`, `async`, `quorum` or `potential`; nil when unknown.
        package let state, synchronization: String?
        /// Bytes of the log by which it lags behind; nil when unknown.
        package let behindBytes: UInt64?

        /// Whether commits may wait for it. A standby whose state is unknown may be synchronous.
        fileprivate var maySynchronize: Bool { synchronization.map { ["sync", "quorum"].contains($0) } ?? true }
    }

    /// A replication slot, which retains the log until its reader has received it.
    package struct Slot: Sendable {
        package let name: String
        package let isActive: Bool
        /// Bytes of the log that it retains.
        package let keptBytes: UInt64
    }
}

extension ServerReport {
    /// The duration in milliseconds from which on an open transaction is reported, because it prevents vacuum from removing the dead rows
    /// of many commits.
    private static let longTransactionMilliseconds: UInt64 = 60_000
    /// The retained bytes from which on a slot is reported, because it may fill the disk.
    private static let largeSlotBytes: UInt64 = 1 << 30

    /// A sentence for each point that needs the operator's attention.
    package var warnings: [String] {
        var warnings = [obstacle].compactMap(\.self)
        if let oldest, oldest.milliseconds > Self.longTransactionMilliseconds {
            warnings.append(
                "a transaction of \(oldest.owner) has been open for \(oldest.milliseconds / 1000) s: dead rows remain, and claims become slower; "
                    + "end it, or set idle_in_transaction_session_timeout")
        }
        for slot in slots where slot.keptBytes > Self.largeSlotBytes {
            warnings.append(
                "the replication slot \(slot.name) keeps \(slot.keptBytes >> 20) MiB of log\(slot.isActive ? "" : ", and has no reader"); "
                    + "drop it, or set max_slot_wal_keep_size")
        }
        if synchronousCommit == "off" {
            warnings.append("synchronous_commit is off: accepted events are lost when the server loses power; set it to on")
        }
        if let synchronousWarning { warnings.append(synchronousWarning) }
        if let connections, connections * 10 >= maximumConnections * 9 {
            warnings.append(
                "\(connections) of \(maximumConnections) connections are in use; raise max_connections, or put a pooler in front")
        }
        return warnings
    }

    /// PostgreSQL counts a standby as synchronous only while it streams; one that is still catching up is `potential`, whatever its
    /// position in the list.
    private var synchronousWarning: String? {
        let count = standbys.count(where: \.maySynchronize)
        if count < wantedSynchronous, !isStandby, !["off", "local"].contains(synchronousCommit) {
            let coming = standbys.filter { !$0.maySynchronize && $0.synchronization == "potential" }
                .map { "; \($0.name) is connected, and its state is \($0.state ?? "unknown")" }.joined()
            let found =
                count == 0 && coming.isEmpty
                ? "no such standby is connected: every commit waits for it"
                : "\(count) of the \(wantedSynchronous) required standbys are synchronous\(coming): every commit waits until they are"
            return
                "synchronous_standby_names is \(synchronousStandbyNames), and \(found); start the standby, or remove it from "
                + "synchronous_standby_names"
        }
        guard count == 0, !standbys.isEmpty else { return nil }
        return "no standby is synchronous: accepted events may be lost in a failover; set synchronous_standby_names"
    }

    /// The number of standbys for which a commit waits, from the setting `FIRST 2 (a, b)`, `ANY 2 (a, b)`, `2 (a, b)`, or `a, b`.
    private var wantedSynchronous: Int {
        guard let list = synchronousStandbyNames.firstIndex(of: "(") else { return synchronousStandbyNames.isEmpty ? 0 : 1 }
        let words = synchronousStandbyNames[..<list].split { $0.isWhitespace }
        return words.last.flatMap { Int($0) } ?? 1
    }

    /// Names the facts that this role cannot see, with the remedy after a semicolon; nil when it sees all.
    package var blindSpot: String? {
        missingGrant.map { "other roles' sessions and the state of standbys are unknown; to see them, run as a superuser: \($0)" }
    }
}
