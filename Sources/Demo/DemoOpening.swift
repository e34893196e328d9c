internal import JSON
internal import Simulators

/// The history of the demonstration: devices, denials, and deliveries that arrived, wait or were given up.
struct DemoOpening {
    /// The people's keys; each person has a different one.
    private(set) var keys: [String: String] = [:]
    private let caller: DemoCaller
    private var comments: Int64 = 7001

    init(_ caller: DemoCaller) {
        self.caller = caller
    }

    static func refuse(in simulators: SimulatorSet) {
        simulators.devices[DemoPeople.gone.token] = SimulatedDevice(refusal: .unregistered)
        simulators.faults.add(
            Fault(.answer(Fault.Answer(400, "INVALID_ARGUMENT")), at: .fcm, token: DemoPeople.refused.token, times: DemoPeople.refusals),
            // Sensitive content, as HMS calls it.
            Fault(.answer(Fault.Answer(200, "80100016")), at: .hms, token: DemoPeople.censored.token, times: 2),
            Fault(.answer(Fault.Answer(503, "ServiceUnavailable")), at: .apns, token: DemoPeople.well[0].token, times: 1))
    }

    mutating func play() throws(DemoFailure) {
        try signIn()
        try deny()
        try reply()
        try askToChat()
    }

    /// Whether each view of the page has contents: deliveries given up in several ways, paused notifiers, waiting deliveries.
    func hasShown() throws(DemoFailure) -> Bool {
        let groups = try caller.look("/v1/deliveries/reasons")["groups"]?.elements ?? []
        let paused = try caller.look("/v1/notifiers")["notifiers"]?.elements.filter { $0["state"]?.text == "paused" } ?? []
        let given = groups.filter { $0["notifier"]?.text == "fcm" }.compactMap { $0["count"]?.integer }.reduce(0, +)
        return given >= DemoPeople.refusals && groups.count >= 3 && paused.count >= 2
    }

    /// The backend mints keys, and the phones register.
    private mutating func signIn() throws(DemoFailure) {
        let others = [
            DemoPeople.blocked, DemoPeople.gone, DemoPeople.refused, DemoPeople.expired, DemoPeople.signedOut, DemoPeople.revoked,
            DemoPeople.stranger, DemoPeople.censored,
        ]
        for phone in DemoPeople.well + others + DemoPeople.couriers {
            if keys[phone.user] == nil { keys[phone.user] = try caller.mint(phone.app, phone.user) }
            let answer = try caller.register(phone, keys[phone.user] ?? "")
            try caller.requests.expect(200...200, answer: answer, what: "POST /pyrus/push-token")
        }
        // From here on, some users have other keys. One expires within the hour, which a search for it shows.
        keys[DemoPeople.well[1].user] = try caller.makeKey(
            .shop, user: DemoPeople.well[1].user, secret: .shopFormerKey, keyID: 1, issuedAgo: 86_400, lifetimeSeconds: 86_400 + 3000)
        keys[DemoPeople.expired.user] = try caller.makeKey(
            .shop, user: DemoPeople.expired.user, secret: .shopKey, keyID: 2, issuedAgo: 7200, lifetimeSeconds: 3600)
        keys[DemoPeople.tablet] = try caller.makeKey(
            .tablets, user: DemoPeople.tablet, secret: .tabletKey, keyID: 1, issuedAgo: 7200, lifetimeSeconds: 3600)
        keys[DemoPeople.stranger.user] = keys[DemoPeople.well[0].user]
    }

    private func deny() throws(DemoFailure) {
        try caller.operate("/v1/users/block", Self.about(DemoPeople.blocked.user, "insulted an employee"))
        try caller.operate("/v1/users/sign-out", Self.about(DemoPeople.signedOut.user, "has lost the phone"))
        try caller.operate(
            "/v1/revocations",
            Self.about(DemoPeople.revoked.user, "phone stolen", more: [("security_key", .string(keys[DemoPeople.revoked.user] ?? ""))]))
    }

    private static func about(_ user: String, _ reason: String, more: [(String, JSONValue)] = []) -> JSONObject {
        JSONObject([("app_id", .string(DemoApp.shop.rawValue)), ("user_id", .string(user)), ("reason", .string(reason))] + more)
    }

    private mutating func reply() throws(DemoFailure) {
        for (number, phone) in DemoPeople.well.enumerated() { try reply(to: phone, ticket: 4001 + Int64(number)) }
        try reply(to: DemoPeople.gone, ticket: 4021)
        for _ in 0..<DemoPeople.refusals { try reply(to: DemoPeople.refused, ticket: 4022) }
        for _ in 0..<2 { try reply(to: DemoPeople.censored, ticket: 4023) }
        try post(DemoComment(app: .tablets, user: DemoPeople.tablet, ticket: 4024, comment: 7050, text: .number(0)))
        for (number, phone) in DemoPeople.couriers.enumerated() {
            let number = Int64(number)
            try post(
                DemoComment(
                    app: .couriers, user: phone.user, ticket: 4031 + number, comment: DemoPeople.courierComment + number,
                    text: .number(number), device: phone))
        }
    }

    private mutating func reply(to phone: DemoPhone, ticket: Int64) throws(DemoFailure) {
        let comment = DemoComment(
            app: phone.app, user: phone.user, ticket: ticket, comment: comments, text: .number(comments), device: phone)
        comments += 1
        try post(comment)
    }

    private func post(_ comment: DemoComment) throws(DemoFailure) {
        try caller.requests.expect(200...200, answer: caller.post(comment), what: "POST /pyrus/webhook")
    }

    /// The help desk requests authorization for all people; the explanations of these people show the responses.
    private func askToChat() throws(DemoFailure) {
        let denied = [DemoPeople.blocked, DemoPeople.expired, DemoPeople.signedOut, DemoPeople.revoked, DemoPeople.stranger]
        for phone in DemoPeople.well + [DemoPeople.refused] { try ask(phone.app, user: phone.user, status: 200) }
        for phone in denied { try ask(phone.app, user: phone.user, status: 403) }
        // Shadow mode denies only blocked users.
        try ask(.tablets, user: DemoPeople.tablet, status: 200)
        try ask(.shop, user: "", status: 400)
    }

    private func ask(_ app: DemoApp, user: String, status: Int) throws(DemoFailure) {
        try caller.requests.expect(
            status...status, answer: caller.authorize(app, user: user, key: keys[user] ?? "no key"), what: "POST /pyrus/authorize")
    }
}
