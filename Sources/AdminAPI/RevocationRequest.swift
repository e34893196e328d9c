internal import Core
internal import Crypto
internal import JSON
internal import Time

/// A request to revoke one key, all keys of a person, all keys with a key id, or all keys of an app.
package struct RevocationRequest: Sendable, Equatable {
    let appID: String
    let userID: String?
    let securityKey: String?
    let keyID: UInt32?
    let all: Bool
    let issuedBefore: UnixSeconds?
    let reason: String

    /// Checks the fields.
    /// - Parameters:
    ///   - userID: the person whose keys are revoked; together with a security key, its required owner.
    ///   - securityKey: the single key to revoke; excludes `issuedBefore`.
    ///   - keyID: revokes all keys minted with this secret of the app.
    ///   - all: revokes all keys of the app. Required unless `issuedBefore` is set, so that a forgotten field does not revoke all keys.
    ///   - issuedBefore: a bound in Unix seconds. Nil revokes all keys of the person or the app issued until now, or all keys with the key
    ///     id.
    package init(
        appID: String?, userID: String?, securityKey: String?, keyID: Int64?, all: Bool, issuedBefore: Int64?, reason: String?
    ) throws(AdminProblem) {
        self.appID = try PersonFields.app(appID)
        self.userID = try userID.map { text throws(AdminProblem) in try PersonFields.user(text) }
        self.reason = try PersonFields.reason(reason)
        (self.securityKey, self.all) = (securityKey, all)
        if let securityKey, SecurityKey(securityKey.utf8.span) == nil {
            throw AdminProblem("security_key", "expected dgk1. and 84 base64url characters.")
        }
        self.keyID = try keyID.map { number throws(AdminProblem) in
            guard let id = UInt32(exactly: number) else { throw AdminProblem("key_id", "expected a number from 0 to \(UInt32.max).") }
            return id
        }
        self.issuedBefore = try issuedBefore.map { number throws(AdminProblem) in
            let latest = Revocation.latestBound
            guard let seconds = UInt64(exactly: number), seconds > 0, seconds <= latest.rawValue else {
                throw AdminProblem("issued_before", "expected Unix seconds from 1 to \(latest).")
            }
            return UnixSeconds(rawValue: seconds)
        }
        try checkCombination()
    }

    private func checkCombination() throws(AdminProblem) {
        if keyID != nil, userID != nil || securityKey != nil {
            throw AdminProblem("key_id", "goes with neither \(field: "user_id") nor \(field: "security_key").")
        }
        if securityKey != nil, issuedBefore != nil { throw AdminProblem("issued_before", "does not go with \(field: "security_key").") }
        let namesNobody = userID == nil && securityKey == nil && keyID == nil
        if all, !namesNobody {
            throw AdminProblem("all", "goes with neither \(field: "user_id"), \(field: "security_key") nor \(field: "key_id").")
        }
        if namesNobody, !all, issuedBefore == nil {
            throw AdminProblem(
                nil, #"Send user_id, security_key or key_id; for all keys of the app send "all": true, or issued_before alone."#)
        }
    }

    /// Returns the subject, and the first issue time of keys that stay valid.
    /// - Parameter now: the default bound for keys of a person or of the app.
    func scope(now: UnixSeconds) -> (subject: Revocation.Subject, issuedBefore: UnixSeconds?) {
        if let securityKey, let key = SecurityKey(securityKey.utf8.span) { return (.securityKey(salt: key.salt), nil) }
        if let keyID { return (.keyID(keyID), issuedBefore) }
        if let userID { return (.user(userID), issuedBefore ?? Revocation.bound(after: now)) }
        return (.everyKey, issuedBefore ?? Revocation.bound(after: now))
    }

    /// Returns the reason why the configuration cannot have such keys; nil when it can.
    func problem(_ context: AdminContext) -> AdminAnswer? {
        let authorizer = context.state.authorizer
        guard let index = authorizer.index(of: appID.utf8.span) else { return .unknownApp(appID, context.state.names.apps) }
        if let keyID, !authorizer.applications[index].keys.contains(where: { $0.id == keyID }) {
            return .error(400, code: "unknown_key", message: "key_id: the app has no key with this id.")
        }
        // A key with a later issue time is denied in any case until that time.
        let latest = Revocation.bound(after: context.sharedNow).saturating(adding: authorizer.policy.clockSkewSeconds)
        if let issuedBefore, issuedBefore > latest {
            return .error(
                400, code: "malformed",
                message: "issued_before: expected a time that has come; keys that are minted until then would be revoked, too; "
                    + "to deny a user, block the user.")
        }
        guard case .denied(.wrongMac, _) = verdict(context) else { return nil }
        return .error(400, code: "wrong_key", message: "security_key: it is not a key of this app_id and user_id.")
    }

    /// The owner of the single revoked key, if a configured secret proves the owner. The search for devices is then limited to this person.
    func keyHolder(_ context: AdminContext) -> AppUser? {
        guard let userID, verdict(context)?.keyID != nil else { return nil }
        return AppUser(appID: appID, userID: userID)
    }

    /// The verdict on the single revoked key without any revocations; nil unless the request contains the key and the person.
    private func verdict(_ context: AdminContext) -> Verdict? {
        guard let securityKey, let userID else { return nil }
        return context.state.authorizer.authorize(
            appID: appID.utf8.span, userID: userID.utf8.span, securityKey: securityKey.utf8.span, now: context.now.seconds,
            revocations: .none
        ).verdict
    }
}

/// The fields that revocations and actions on people share.
enum PersonFields {
    static let appGrammar = AdminRoute.Parameter.Kind.line(1...FieldGrammar.longestAppID)
    static let userGrammar = AdminRoute.Parameter.Kind.line(1...FieldGrammar.longestUserID)
    static let reasonGrammar = AdminRoute.Parameter.Kind.line(0...Revocation.longestReason)
    /// The first byte contains the flags and is 0.
    static let securityKeyGrammar = AdminRoute.Parameter.Kind.matching(#"^dgk1\.A[A-P][A-Za-z0-9_-]{82}$"#)

    static func app(_ text: String?) throws(AdminProblem) -> String {
        guard let text, FieldGrammar.problem(ofAppID: text.utf8.span) == nil else {
            throw AdminProblem(
                "app_id", "expected the app, 1 to \(FieldGrammar.longestAppID) UTF-16 code units without control characters.")
        }
        return text
    }

    static func user(_ text: String?) throws(AdminProblem) -> String {
        guard let text, FieldGrammar.problem(ofUserID: text.utf8.span) == nil else {
            throw AdminProblem(
                "user_id", "expected the person, 1 to \(FieldGrammar.longestUserID) UTF-16 code units without control characters.")
        }
        return text
    }

    static func body(_ person: AppUser, reason: String) -> [UInt8] {
        var object: JSONObject = ["app_id": .string(person.appID), "user_id": .string(person.userID)]
        if !reason.isEmpty { object.append(.string(reason), forKey: "reason") }
        return JSONValue.object(object).serialized()
    }

    static func reason(_ text: String?) throws(AdminProblem) -> String {
        guard let text, !text.isEmpty else { return "" }
        let longest = Revocation.longestReason
        guard FieldGrammar.problem(of: text.utf8.span, longest: longest) == nil else {
            throw AdminProblem("reason", "expected at most \(longest) UTF-16 code units without control characters.")
        }
        return text
    }
}

/// The mapping to the body of `POST /v1/revocations`.
extension RevocationRequest {
    static let parameters = [
        AdminRoute.Parameter("app_id", place: .body, kind: PersonFields.appGrammar, isRequired: true, text: "The app."),
        AdminRoute.Parameter(
            "user_id", place: .body, kind: PersonFields.userGrammar,
            text: "The user whose keys are revoked; with security_key, the required owner of that key."),
        AdminRoute.Parameter("security_key", place: .body, kind: PersonFields.securityKeyGrammar, text: "The single key to revoke."),
        AdminRoute.Parameter(
            "key_id", place: .body, kind: .number(0...Int64(UInt32.max)), text: "All keys made with this secret of the app."),
        AdminRoute.Parameter("all", place: .body, kind: .flag, text: "All keys of the app; issued_before alone means them, too."),
        AdminRoute.Parameter(
            "issued_before", place: .body, kind: .number(1...Int64(Revocation.latestBound.rawValue)),
            text: "Only keys issued before this Unix second; by default, keys issued until now, or all keys with the key_id."),
        AdminRoute.Parameter("reason", place: .body, kind: PersonFields.reasonGrammar, text: "The reason, for other operators."),
    ]

    init(_ body: Span<UInt8>) throws(AdminProblem) {
        let fields = try AdminFields(body, Self.parameters)
        try self.init(
            appID: fields.text("app_id"), userID: fields.text("user_id"), securityKey: fields.text("security_key"),
            keyID: fields.number("key_id"), all: fields.flag("all"), issuedBefore: fields.number("issued_before"),
            reason: fields.text("reason"))
    }

    var body: [UInt8] {
        var object: JSONObject = ["app_id": .string(appID)]
        if let userID { object.append(.string(userID), forKey: "user_id") }
        if let securityKey { object.append(.string(securityKey), forKey: "security_key") }
        if let keyID { object.append(.integer(Int64(keyID)), forKey: "key_id") }
        if all { object.append(true, forKey: "all") }
        if let issuedBefore { object.append(.integer(Int64(clamping: issuedBefore.rawValue)), forKey: "issued_before") }
        if !reason.isEmpty { object.append(.string(reason), forKey: "reason") }
        return JSONValue.object(object).serialized()
    }
}
