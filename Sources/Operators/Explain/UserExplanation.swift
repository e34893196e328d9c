internal import Configuration
internal import Core
internal import Time

/// What is known of one person of a configured app.
struct UserFacts {
    /// The person's standing without a key.
    let key: KeyFacts
    /// How the app is configured.
    let app: Configuration.App
    /// Who hears of its comments, for which types of device.
    let audience: CommentAudience
    /// The registered devices, as many as are shown.
    let devices: [Device]
    /// Whether there are more devices.
    let hasMoreDevices: Bool
    /// How devices may register.
    let registration: Configuration.PushTokens
    /// The newest deliveries, newest first.
    let deliveries: [DeliveryFacts]
    /// Tells where the search for deliveries has ended.
    let search: Explanation.Step?
    /// The person's name in the log.
    let reference: String?
}

extension Explanation {
    /// Explains how a person stands.
    init(_ facts: UserFacts) {
        steps =
            [Self.app(facts)] + Self.revocations(facts) + Self.decision(facts) + Self.devices(facts) + [Self.limits(facts)]
            + facts.deliveries.map(\.step) + [facts.search].compactMap(\.self) + [Self.log(facts)]
        (outcome, finding) = Self.finding(facts)
    }

    private static func finding(_ facts: UserFacts) -> (Outcome, String) {
        let block = facts.key.revocations.found.first(where: \.keepsOut)
        let isShadowed = facts.key.shadowEnd != nil
        if let block {
            let denied =
                "This user is denied with any key: \(block.isBlock ? "blocked" : "forgotten") at \(RFC3339.text(block.createdAt)) by \(block.author)"
            // The shadow mode lets no former person in.
            return isShadowed && block.isBlock
                ? (.note, "\(denied), which the app's shadow mode still answers 200.") : (.problem, "\(denied).")
        }
        let open = "Nothing keeps this user out: a genuine key that is in force is allowed."
        let backend = facts.app.verify == nil ? "" : " The app's backend has the last word, and was not asked."
        guard let latest = facts.deliveries.first, latest.outcome == .problem else { return (.ok, open + backend) }
        return (.problem, "\(open)\(backend) But the latest delivery has not arrived: \(latest.sentence)")
    }

    private static func app(_ facts: UserFacts) -> Step {
        let ids = facts.key.keyIDs
        return Step(.app, .ok, "The app is configured" + (ids.isEmpty ? ", and has no key." : ", with \(ids)."))
    }

    private static func revocations(_ facts: UserFacts) -> [Step] {
        let found = facts.key.revocations.found
        let cut =
            facts.key.revocations.isCut
            ? [
                Step(
                    .search, .note,
                    "Only the newest \(RevocationSearch.mostRead) revocations were looked through for those of the whole app.",
                    remedy: "For older ones: deskgate revocations list --all.")
            ] : []
        guard !found.isEmpty else { return [Step(.revocations, .ok, "Nothing is revoked of this user or of the whole app.")] + cut }
        return found.map { $0.step($0.keepsOut ? .problem : .note) } + cut
    }

    private static func decision(_ facts: UserFacts) -> [Step] {
        var steps: [Step] = []
        if let verify = facts.app.verify {
            let text =
                "The app's backend is asked\(facts.key.backend.map { " at \($0)" } ?? "") (verify.mode \(verify.mode.rawValue)); "
                + "when it cannot decide, the rule is \(verify.whenUndecided.rawValue)."
            steps.append(Step(.backend, .note, text))
        }
        return steps + [shadow(facts.key)].compactMap(\.self)
    }

    private static func devices(_ facts: UserFacts) -> [Step] {
        guard !facts.devices.isEmpty else {
            return [
                Step(
                    .devices, .note, "No device is registered, so no phone is notified.",
                    remedy: "Have the person open the app, which registers its push token; deskgate_push_token_requests_total counts what "
                        + "came of such requests.")
            ]
        }
        let more = facts.hasMoreDevices ? ["More devices are registered: deskgate tokens list shows them."] : []
        return facts.devices.map { $0.step(facts.audience) } + more.map { Step(.search, .note, $0) }
    }

    private static func limits(_ facts: UserFacts) -> Step {
        let rules = facts.registration.limits.map {
            "\($0.max) in \(Telling.duration(seconds: $0.windowMilliseconds / 1000)) for one \($0.scope.rawValue)"
        }
        let limits =
            rules.isEmpty ? "No limit of registrations is configured" : "Registrations are limited to \(rules.joined(separator: ", "))"
        return Step(.limits, .note, "\(limits). A person may have \(Telling.count(facts.registration.devicesPerUser, "device")).")
    }

    /// What happened to single requests is not stored.
    private static func log(_ facts: UserFacts) -> Step {
        Step(
            .search, .note, "Denials of single requests are not stored; the log has them, sampled.",
            remedy: facts.reference.map { "Search the log for user_ref \($0)." },
            facts.reference.map { [Reference(name: "user_ref", text: $0)] } ?? [])
    }
}
