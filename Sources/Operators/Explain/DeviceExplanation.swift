internal import Configuration
internal import Core
internal import Time

/// What is known of one device of a configured app.
struct DeviceFacts {
    let deviceID: String
    /// Whose it must be; nil for anybody's.
    let userID: String?
    /// How the app is configured.
    let app: Configuration.App
    /// Who hears of the app's comments.
    let audience: CommentAudience
    /// How devices may register.
    let registration: Configuration.PushTokens
    /// The device, once for each person who has it registered.
    let devices: [Device]
    /// Whether not all devices of the app were looked at.
    let isCut: Bool
    /// The newest deliveries to it, newest first.
    let deliveries: [DeliveryFacts]
    /// Tells where the search for deliveries has ended.
    let search: Explanation.Step?
}

extension Explanation {
    /// Explains why a device is notified or not.
    init(_ facts: DeviceFacts) {
        let found = facts.devices.map { $0.step(facts.audience) }
        steps =
            (found.isEmpty ? Self.absence(facts) : found) + facts.deliveries.reversed().map(\.step)
            + [facts.search].compactMap(\.self)
        (outcome, finding) = Self.finding(facts, found)
    }

    private static func finding(_ facts: DeviceFacts, _ found: [Step]) -> (Outcome, String) {
        guard !found.isEmpty else {
            return (
                .problem,
                facts.isCut
                    ? "The device was not found among those that were looked at." : "No such device is registered, so it is not notified."
            )
        }
        if let unserved = found.first(where: { $0.outcome == .problem }) { return (.problem, unserved.text) }
        guard let latest = facts.deliveries.first(where: { $0.delivery.event.kind == .commentCreated }) else {
            return (.ok, "The device is registered and a notifier serves it. No comment was sent to it among the newest deliveries.")
        }
        guard latest.outcome == .problem else { return (.ok, "The device is registered and is notified. The latest: \(latest.sentence)") }
        return (.problem, "The device is registered, but the latest comment has not arrived: \(latest.sentence)")
    }

    /// Why a device may not be registered, the likely causes first.
    private static func absence(_ facts: DeviceFacts) -> [Step] {
        if facts.isCut {
            return [
                Step(
                    .search, .problem, "The app has more devices than are looked at without a person.",
                    remedy: "Ask again with the user_id, by which the device is found at once.")
            ]
        }
        let app = facts.app.id
        let owner = facts.userID == nil ? "of the app" : "of this user"
        return [
            Step(
                .device, .problem, "No device \(owner) with this id has a push token.",
                remedy: "Have the person open the app while signed in, and see what comes of its registration: "
                    + "deskgate_push_token_requests_total{app=\"\(app)\"} counts results. Denied ones are explained by "
                    + "deskgate explain --user and --key."),
            Step(
                .device, .note,
                "A device leaves when the app signs out, when its provider does not know the token any more, when its token comes with "
                    + "another user or device, when an operator removes it, or when the person has more than "
                    + "\(Telling.count(facts.registration.devicesPerUser, "device")). After "
                    + "\(Telling.count(facts.registration.forgetAfterDays, "day")) without a sign of life it is forgotten. Deliveries "
                    + "to it that are still stored follow, and tell if a provider has refused it.",
                remedy:
                    "The devices of a person: deskgate tokens list --app \(Telling.word(app)) --user ID."),
            Step(
                .limits, .note,
                "Registrations beyond push_tokens.limits are answered 429, and the app repeats them later."),
        ]
    }
}

/// The devices of an app with one id, whoever has registered them: no index leads there, so a bounded number is looked through.
struct DeviceSearch {
    private static let mostPages = 10
    private static let perPage = 1000

    private(set) var found: [Device] = []
    /// Whether not all devices of the app were looked at.
    private(set) var isCut = false

    /// Searches; the devices of a named person are found by an index.
    init(_ store: any Store, appID: String, userID: String?, deviceID: String) throws(StoreError) {
        if let userID {
            found = try store.devices(DeviceFilter(appID: appID, userID: userID, deviceID: deviceID), after: nil, limit: 1)
            return
        }
        var last: Device.Key?
        for _ in 0..<Self.mostPages {
            let page = try store.devices(DeviceFilter(appID: appID, userID: nil, deviceID: nil), after: last, limit: Self.perPage)
            found += page.filter { $0.key.deviceID.utf8.elementsEqual(deviceID.utf8) }
            guard page.count == Self.perPage else { return }
            last = page.last?.key
        }
        isCut = true
    }
}
