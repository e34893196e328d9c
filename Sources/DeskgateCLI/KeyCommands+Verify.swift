internal import AdminAPI
internal import Configuration
internal import Core
internal import JSON
internal import Service
internal import Time

/// `deskgate key verify`
extension KeyCommands {
    /// Ten years after the latest time of a key: a larger number is probably in milliseconds.
    private static let latestMoment = SecurityKey.latestTime.rawValue + 10 * 31_557_600

    static let verify = Command(
        "key verify", "Shows whether a security key allows a user, with the reason of a denial.",
        details:
            "The configuration decides about the key. Unless it denies the key already, the running service, or its store while none runs, "
            + "is asked whether the key is revoked or the user blocked. If neither answers, the status is unknown and the reason "
            + "revocations_not_asked. The app's backend is never asked. If a service that runs has other keys in force than the configuration "
            + "file, a warning says so.",
        exits: [.done: "for the status 200", .negative: "otherwise, also when revocations could not be asked"],
        options: [.config] + appAndUser + [
            key,
            Option(
                "at", value: .number(0...latestMoment, Value.moment), default: "now",
                "the time to decide for, in seconds since 1970; revocations are those in force now"),
            Option("offline", "call no service: decide only by the configuration, as without revocations"),
            .json,
        ],
        examples: [
            Example(
                "deskgate key mint --app my-app --user 42 | deskgate key verify --app my-app --user 42 --key -",
                "Reads the key from standard input, so that no process list shows it."),
            Example(
                "printf %s \"$KEY\" | deskgate key verify --offline --app my-app --user 42 --key -",
                "Checks a key without the service and its store."),
        ]
    ) { arguments throws(CommandError) in
        let configuration = try arguments.configuration()
        let authorizer = try authorizer(configuration)
        let (answer, code) = try verify(arguments, authorizer) { ask($0, configuration) }
        if !arguments.has("offline"), let status = serviceStatus(configuration) {
            for line in StatusCommands.otherKeys(status, inFile: authorizer.keysDigest) { Console.complain("warning: \(line)") }
        }
        Console.answer(arguments, json: .object(answer.json), text: answer.text)
        return code
    }

    /// The result of a query for revocations of a key.
    enum RevocationAnswer {
        /// The service, or its store, has answered.
        case answered(Revocations)
        /// No query was made, because of the option.
        case skipped
        /// No process could be queried, for this reason.
        case failed(String)

        fileprivate var revocations: Revocations {
            switch self {
            case .answered(let revocations): revocations
            case .skipped: .none
            case .failed: .unknown
            }
        }
    }

    /// Queries the running service of a configuration, or its store when none runs, for revocations of a key.
    private static func ask(_ question: KeyRevocationAction, _ configuration: Configuration) -> RevocationAnswer {
        do throws(AdminAccess.Failure) {
            let answer = try WaitingLine.show("waiting for an answer") { () throws(AdminAccess.Failure) in
                try AdminAccess(configuration).perform(question, remark: Console.complain)
            }
            if let revocations = question.revocations(in: answer) { return .answered(revocations) }
            return .failed("the service refused the question (\(answer.status) \(AdminText.text(answer.json["error"])))")
        } catch {
            return .failed(error.description)
        }
    }

    /// Returns the answer and the exit code of `key verify`.
    /// - Parameter ask: queries the revocations of the key; called only when the verdict depends on them.
    static func verify(
        _ arguments: Arguments, _ authorizer: Authorizer, ask: (KeyRevocationAction) -> RevocationAnswer
    ) throws(CommandError) -> (answer: KeyAnswer, code: ExitCode) {
        let now = arguments.number("at").map(UnixSeconds.init(rawValue:)) ?? Clocks.system.unixSeconds()
        func bytes(_ name: String) -> [UInt8] { Array(arguments.required(name).utf8) }
        let (app, user, key) = (bytes("app"), bytes("user"), bytes("key"))
        func verdict(_ revocations: Revocations) -> Verdict {
            let decision = authorizer.authorize(
                appID: app.span, userID: user.span, securityKey: key.span, now: now, revocations: revocations)
            return authorizer.applyingShadowMode(to: decision, now: now).verdict
        }
        let securityKey = SecurityKey(key.span)
        let tolerance = securityKey.flatMap { $0.expiresAt != 0 && $0.expiresAt < now ? authorizer.policy.clockSkewSeconds : nil }
        var finding = Finding(verdict: verdict(.unknown), revocations: nil, tolerance: tolerance)
        if finding.verdict == .undecided(.revocationsUnknown) {
            let question = try arguments.action { () throws(AdminProblem) in
                try KeyRevocationAction(
                    appID: arguments.required("app"), userID: arguments.required("user"), securityKey: arguments.required("key"))
            }
            let answer = arguments.has("offline") ? .skipped : ask(question)
            finding = Finding(verdict: verdict(answer.revocations), revocations: answer, tolerance: tolerance)
        }
        let application = authorizer.index(of: app.span).map { authorizer.applications[$0] }
        let reference = authorizer.userReference(appID: app.span, userID: user.span)
        let answer = describe(finding, key: securityKey, application, reference: reference)
        return (answer, finding.status == 200 ? .done : .negative)
    }

    private struct Finding {
        let verdict: Verdict
        /// Nil when the verdict does not depend on revocations.
        let revocations: RevocationAnswer?
        /// The tolerated difference of clocks in seconds, if the key has expired; else nil.
        let tolerance: UInt64?

        /// The service's status; nil when it depends on a backend that was not called.
        var status: Int? {
            if case .failed = revocations { return nil }
            if case .unconfirmed = verdict { return nil }
            return verdict.status
        }

        var reason: String { if case .failed = revocations { "revocations_not_asked" } else { verdict.reason } }

        /// A sentence on an expired key that is accepted, and one for each open question of the verdict; nil when there is none.
        var message: String? {
            let sentences = [toleranceMessage, revocationsMessage, backendMessage].compactMap(\.self)
            return sentences.isEmpty ? nil : sentences.joined(separator: " ")
        }

        private var toleranceMessage: String? {
            guard let tolerance, case .authorized = verdict else { return nil }
            return "The key has expired, and is accepted within the tolerance of \(tolerance) s for clocks that differ."
        }

        private var revocationsMessage: String? {
            switch revocations {
            case .skipped:
                "Revocations were not asked: if the key is revoked or its user blocked, the service denies it. Ask without --offline."
            case .failed(let reason):
                "Revocations could not be asked: \(reason). With --offline the configuration alone decides."
            case .answered where verdict == .undecided(.revocationsUnknown):
                "The service does not know which keys are revoked; deskgate status shows the cause."
            case .answered, nil: nil
            }
        }

        private var backendMessage: String? {
            guard case .unconfirmed = verdict else { return nil }
            return "The service would now call the app's backend, which this command does not."
        }
    }

    /// - Parameters:
    ///   - application: the app, when it is configured.
    ///   - reference: the person's `user_ref` in the log.
    private static func describe(
        _ finding: Finding, key: SecurityKey?, _ application: Application?, reference: String?
    ) -> KeyAnswer {
        var answer = KeyAnswer()
        answer.append(finding.status.map { .integer(Int64($0)) } ?? .null, forKey: "status")
        if case .malformed(let error) = finding.verdict {
            answer.append(error, of: verify)
            return answer
        }
        answer.append(.string(finding.reason), forKey: "reason")
        if case .shadowed = finding.verdict { answer.append(true, forKey: "shadowed") }
        switch finding.revocations {
        case .answered: answer.append("asked", forKey: "revocations")
        case .skipped, .failed: answer.append("not_asked", forKey: "revocations")
        case nil: break
        }
        if let message = finding.message { answer.append(.string(message), forKey: "message") }
        if let key {
            answer.append(key)
            answer.append(application?.keys.first { $0.id == key.keyID })
        }
        if let reference { answer.append(.string(reference), forKey: "user_ref") }
        return answer
    }
}
