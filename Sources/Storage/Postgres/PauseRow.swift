internal import Core
internal import Postgres
internal import Time

/// A row of `pauses`: one replica's pause of a notifier.
struct PauseRow {
    let notifier: String
    /// nil for an unknown pause of a later version.
    let pause: SharedPause?

    init(_ row: Row) throws(PostgresError) {
        notifier = try row.stored(0)
        let (reason, until, isOwn) = (try row.stored(2), try row.time(3), try row.bool(4))
        pause = SharedPause.Kind(rawValue: try row.stored(1)).map {
            // A pause without an end is stored with the latest time that fits.
            SharedPause($0, reason: reason, until: until.stored == .max ? .max : until, isOwn: isOwn)
        }
    }

    /// Writes the pause updates of claims, in the order of the notifiers.
    static func tell(_ claims: [Claim], replica: [UInt8]) -> [Query] {
        claims.sorted { ByteKey($0.notifier) < ByteKey($1.notifier) }.flatMap { claim in
            claim.pauseUpdates.map { update in
                switch update {
                case .ends: Query(PauseStatements.end, .stored(claim.notifier), .stored(update.kind.rawValue))
                case .begins(let pause):
                    Query(
                        PauseStatements.begin, .stored(claim.notifier), .stored(pause.kind.rawValue), .stored(pause.reason),
                        .int8(pause.until.stored), .uuid(replica))
                }
            }
        }
    }

    static func read(_ notifiers: Parameter, _ replica: [UInt8]) -> Query { Query(PauseStatements.read, notifiers, .uuid(replica)) }
}

private enum PauseStatements {
    static let begin: StaticString = """
        INSERT INTO pauses (notifier, kind, reason, until, replica) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (notifier, kind) DO UPDATE SET reason = excluded.reason, until = excluded.until, replica = excluded.replica
        """
    static let end: StaticString = "DELETE FROM pauses WHERE notifier = $1 AND kind = $2"
    static let read: StaticString = """
        SELECT notifier, kind, reason, until, replica = $2 FROM pauses WHERE notifier = ANY ($1::text[])
        """
}
