internal import Core
internal import Postgres
internal import Time

extension PostgresBatch {
    /// Reads the rows that these events and registrations will need in advance, each table once: all locks come first, in their order.
    func load(_ incomingEvents: [IncomingEvent], reports: [Report], registrations: [Registration]) throws(PostgresError) {
        unit.removesForgottenPersons = true
        var persons = try load(reports)
        var tokens: Set<UnitOfWork.TokenKey> = []
        var devices: Set<Int64> = []
        var windows: Set<Int32> = []
        for incoming in incomingEvents {
            let person = try unit.key(incoming.event.identity.appID, incoming.event.userID)
            persons.insert(person)
            if let token = incoming.token { tokens.insert(UnitOfWork.TokenKey(app: person.app, digest: token.digest)) }
        }
        for registration in registrations {
            let person = try unit.key(registration.key.appID, registration.key.userID)
            persons.insert(person)
            guard let token = registration.token else { continue }
            if registration.rules.contains(where: { $0.scope == .app }) { windows.insert(person.app) }
            if registration.rules.contains(where: { $0.scope == .service }) { windows.insert(0) }
            tokens.insert(UnitOfWork.TokenKey(app: person.app, digest: token.digest))
            if registration.rules.contains(where: { $0.scope == .device }) { devices.insert(StoreRules.deviceNumber(registration.key)) }
        }
        // Searched before any lock, so that their persons are locked in order with the others.
        persons.formUnion(try unit.holdersNow(tokens))
        try load(persons.sorted(), incomingEvents.map(\.event.identity) + reports.flatMap { [$0.identity] + $0.events })
        try unit.load(holders: tokens)
        try unit.load(deviceCalls: devices)
        try unit.load(windows: windows)
    }

    /// Reads the rows that most batches need in one round trip: the persons, the comments, and the numbers of waiting deliveries.
    private func load(_ persons: [UnitOfWork.PersonKey], _ identities: [Event.Identity]) throws(PostgresError) {
        let (comments, counts) = (try queries(comments: identities), depth.isUnread ? [PostgresSession.depthQuery] : [])
        let results = try unit.session.run(UnitOfWork.queries(persons: persons) + comments + counts)
        let personQueryCount = UnitOfWork.personQueryCount
        try unit.take(persons: persons, results[..<personQueryCount])
        if !comments.isEmpty { try take(comments: identities, results[personQueryCount..<personQueryCount + 2]) }
        if depth.isUnread, let rows = results.last { depth.take(try PostgresSession.depth(rows)) }
    }

    private func queries(comments identities: [Event.Identity]) throws(PostgresError) -> [Query] {
        var (apps, comments, tickets, marks) = ([Int32](), [String](), [String](), [Int64]())
        for identity in identities {
            guard let key = CommentKey(identity, try unit.number(identity.appID)) else { continue }
            apps.append(key.app)
            comments.append(key.comment.text)
            tickets.append(key.ticket.text)
            marks.append(StoreRules.mark(of: identity))
        }
        guard !apps.isEmpty else { return [] }
        return [
            Query(CommentStatements.siblings, [.int4Array(apps), .storedArray(comments), .storedArray(tickets)]),
            Query(CommentStatements.past, [.int4Array(apps), .storedArray(comments), .int8Array(marks)]),
        ]
    }

    private func take(comments identities: [Event.Identity], _ results: ArraySlice<Rows>) throws(PostgresError) {
        for row in results[results.startIndex] { try take(sibling: row) }
        var found: [PastKey: UUIDv7] = [:]
        for row in results[results.startIndex + 1] {
            let key = PastKey(app: try row.int32(0), mark: try row.int64(2), comment: ByteKey(try row.stored(1)))
            found[key] = try row.uuidv7(3)
        }
        for identity in identities {
            guard let comment = identity.commentID else { continue }
            let app = try unit.number(identity.appID)
            let key = PastKey(app: app, mark: StoreRules.mark(of: identity), comment: ByteKey(comment.text))
            if let id = found[key] { past[identity] = id }
        }
    }

    private func take(sibling row: Row) throws(PostgresError) {
        guard let comment = try row.helpDeskID(1), let ticket = try row.helpDeskID(2) else { return }
        let key = CommentKey(app: try row.int32(0), comment: comment, ticket: ticket)
        let known = Known(id: try row.uuidv7(3), device: ByteKey(try row.stored(4)))
        var siblings = comments[key] ?? Siblings()
        if !siblings.events.contains(where: { $0.id == known.id }) { siblings.events.append(known) }
        if let notifier = try row.optionalStored(5), let device = try row.optionalStored(6) {
            siblings.notified.insert(PostgresBatch.NotifiedDevice(notifier: ByteKey(notifier), device: ByteKey(device)))
        }
        comments[key] = siblings
    }
}

/// Deduplicates a comment after its event was purged.
private struct PastKey: Hashable {
    let app: Int32
    let mark: Int64
    let comment: ByteKey
}

private enum CommentStatements {
    static let siblings: StaticString = """
        SELECT events.app, events.comment_id, events.ticket_id, id, events.device_id, notifier, deliveries.device_id
        FROM (SELECT DISTINCT * FROM unnest($1::integer[], $2::text[], $3::text[])) AS wanted (app, comment_id, ticket_id)
            JOIN events ON events.app = wanted.app AND events.comment_id = wanted.comment_id AND events.ticket_id = wanted.ticket_id
            LEFT JOIN deliveries ON event = number
        """
    static let past: StaticString = """
        SELECT past_comments.app, past_comments.comment_id, past_comments.mark, id
        FROM (SELECT DISTINCT * FROM unnest($1::integer[], $2::text[], $3::bigint[])) AS wanted (app, comment_id, mark)
            JOIN past_comments ON past_comments.app = wanted.app AND past_comments.comment_id = wanted.comment_id
                AND past_comments.mark = wanted.mark
        """
}
