internal import Bytes
package import Core
internal import Crypto
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Threading
internal import Time

/// Forgets a person: no key is valid any more, and the store keeps only a digest of the person.
package struct ForgetAction: AdminAction, Equatable {
    /// Milliseconds within which other processes get a revocation. Until then they may store data about the person.
    private static let propagationMilliseconds: UInt64 = TimeLimit.milliseconds(1500)
    /// The maximum number of a person's devices whose data is then searched for in the files; a person has fewer.
    private static let maximumDevices = 1000
    private static let revocationsPerPage = 1000

    private let person: AppUser
    private let reason: String

    package init(appID: String?, userID: String?, reason: String?) throws(AdminProblem) {
        person = AppUser(appID: try PersonFields.app(appID), userID: try PersonFields.user(userID))
        self.reason = try PersonFields.reason(reason)
    }

    package var change: String? { "users.forget" }

    /// Each step may be repeated; the first one denies the person permanently.
    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        guard context.state.authorizer.index(of: person.appID.utf8.span) != nil else {
            return .unknownApp(person.appID, context.state.names.apps)
        }
        let devices = try context.store.devices(
            DeviceFilter(appID: person.appID, userID: person.userID), after: nil, limit: Self.maximumDevices)
        let former = try revokeForEver(context)
        if context.store.pollMilliseconds != nil { Self.wait() }
        let revocations = try removeRevocations(context)
        let erasure = try context.store.erase(person, now: context.now, telling: context.state.registryAudience)
        context.onForget(person)
        for (notifier, count) in erasure.pending { context.onGivenUp(count, notifier.text, .forgotten) }
        let traces = PersonTraces(person, others: devices.flatMap { [$0.key.deviceID, $0.token.text] })
        let proof = try context.store.proveErasure(of: traces)
        return answer(former, revocations: revocations, erasure: erasure, traces: traces, proof: proof, context: context)
    }

    /// Adds the revocation of a forgotten person, with its event, unless it exists.
    private func revokeForEver(_ context: AdminContext) throws(StoreError) -> Revocation {
        if let known = try context.store.formerRevocation(of: person) {
            // Another replica may have added it just now.
            context.onRevocation(.added(known))
            return known
        }
        let former = try context.store.former(person, salt: try context.store.formerSalt())
        var random = SystemRandomNumberGenerator()
        let audience = context.state.registryAudience
        let event = Event(
            forgetting: person, id: UUIDv7(milliseconds: context.now, using: &random).event, now: context.now,
            lifetimeMilliseconds: audience.lifetimeMilliseconds)
        let listeners = audience.listeners(of: person.appID)
        return try context.revoke(
            person.appID, .formerUser(former), issuedBefore: nil, reason: reason,
            announcing: listeners.isEmpty ? nil : IncomingEvent(event, to: listeners, isErased: true))
    }

    /// Removes the revocations that name the person.
    private func removeRevocations(_ context: AdminContext) throws(StoreError) -> Int {
        var removed = 0
        while true {
            let found = try context.store.revocations(of: person, after: nil, limit: Self.revocationsPerPage)
            for revocation in found where try context.remove(revocation.id) != nil { removed += 1 }
            if found.count < Self.revocationsPerPage { return removed }
        }
    }

    private static func wait() {
        let pause = Monitor(())
        _ = pause.wait(timeoutMilliseconds: propagationMilliseconds) { _ in nil as Void? }
    }
}

extension Store {
    /// Returns the revocation of a forgotten person; nil for others.
    func formerRevocation(of person: AppUser) throws(StoreError) -> Revocation? {
        guard let salt = try formerSalt() else { return nil }
        let former = try former(person, salt: salt)
        let named = AppUser(appID: person.appID, userID: former.name)
        return try revocations(of: named, after: nil, limit: 1).first { $0.subject == .formerUser(former) }
    }

    /// The digest of a person.
    /// - Parameter salt: the store's; nil creates the first one.
    fileprivate func former(_ person: AppUser, salt: [UInt8]?) throws(StoreError) -> FormerUser {
        do throws(CryptoError) {
            if let salt { return try FormerUser(person, salt: salt) }
            let random: InlineArray<32, UInt8> = try randomBytes()
            return try FormerUser(person, salt: Array(copying: random.span))
        } catch {
            throw StoreError(.unavailable, error.description)
        }
    }
}

extension ForgetAction {
    private func answer(
        _ former: Revocation, revocations: Int, erasure: Erasure, traces: PersonTraces, proof: ErasureProof,
        context: AdminContext
    ) -> AdminAnswer {
        let about = [
            AuditField(name: "events", text: "\(erasure.events)"), AuditField(name: "deliveries", text: "\(erasure.deliveries)"),
        ]
        return AdminAnswer(
            [
                "id": .string(former.id.description), "devices": .integer(Int64(erasure.devices)),
                "events": .integer(Int64(erasure.events)), "deliveries": .integer(Int64(erasure.deliveries)),
                "bot_calls": .integer(Int64(erasure.botCalls)), "revocations": .integer(Int64(revocations)),
                "remaining": .array(Self.remaining(proof)),
                "files": proof.files.map { .object(Self.json($0, traces)) } ?? .null,
                "vacuumed": proof.isVacuumed.map { .bool($0) } ?? .null,
            ], change: .forgotten(erasure.devices), about: context.about(former, userID: person.userID) + about)
    }

    /// The remaining data, its location and the cause.
    private static func remaining(_ proof: ErasureProof) -> [JSONValue] {
        var remaining: [JSONObject] = proof.waiting.map {
            [
                "where": "deliveries", "notifier": .string($0.notifier), "count": .integer(Int64($0.count)),
                "why": "waits for its delivery to the notifier, which ends the user's data in it",
            ]
        }
        remaining += proof.tables.map {
            [
                "where": .string($0.name), "notifier": .null, "count": .integer(Int64($0.rows)),
                "why": "has arrived in the meantime; forget the user again",
            ]
        }
        let reason: JSONValue? =
            switch proof.log {
            case .read: "a reader uses it; it is emptied as soon as none does"
            case .unfinished: "the disk was too slow; it is emptied within seconds"
            case .emptied, nil: nil
            }
        if let reason { remaining.append(["where": "write-ahead log", "notifier": .null, "count": .null, "why": reason]) }
        if proof.isVacuumed == false {
            remaining.append([
                "where": "dead rows", "notifier": .null, "count": .null,
                "why": "not vacuumed: the role does not own the tables, or it took too long; run VACUUM as their owner",
            ])
        }
        return remaining.map { .object($0) }
    }

    private static func json(_ files: ErasureProof.Files, _ traces: PersonTraces) -> JSONObject {
        [
            "names": .array(files.names.map { .string($0) }), "bytes": .integer(Int64(clamping: files.bytes)),
            "texts": .integer(Int64(traces.texts.count)), "too_short": .integer(Int64(traces.tooShort)),
            "occurrences": .integer(Int64(files.occurrences)),
        ]
    }
}

/// The mapping to the request of the admin listener, in both directions.
extension ForgetAction {
    private static let path: StaticString = "/v1/users/forget"

    static let route = AdminRoute(
        .post, path: path, role: .operate,
        summary: "Revokes all keys of a person permanently, and erases devices, events, texts and identifiers from the store.",
        parameters: PersonAction.parameters,
        answer: AdminRoute.Answer(
            ["id", "devices", "events", "deliveries", "bot_calls", "revocations", "remaining", "files", "vacuumed"],
            text: "The revocation, the erased amounts, the remaining data with the cause, and the result of a search of the store's files."),
        handling: .fromStore { request throws(AdminProblem) in
            .some(try request.withBody { body throws(AdminProblem) in try ForgetAction(body) })
        })

    private init(_ body: Span<UInt8>) throws(AdminProblem) {
        let fields = try AdminFields(body, PersonAction.parameters)
        try self.init(appID: fields.text("app_id"), userID: fields.text("user_id"), reason: fields.text("reason"))
    }

    package var request: AdminRequest {
        AdminRequest(.post, "\(Self.path)", body: PersonFields.body(person, reason: reason))
    }
}
