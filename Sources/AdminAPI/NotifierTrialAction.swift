package import Configuration
package import Core
internal import HTTPClient
internal import HTTPServer
package import JSON
internal import POSIX

/// A push to one device that tests a notifier.
package struct TestPush: Sendable {
    package static let defaultTitle = "Deskgate"
    package static let defaultBody = "Test push"

    /// The device's push token, not empty.
    package let token: String
    /// The device type; nil for the notifier's default type.
    package let type: String?
    /// Shown as the author, if the notifier shows authors.
    package let title: String
    /// Shown as the text, if the notifier shows texts.
    package let body: String

    /// Creates a test push.
    /// - Parameters:
    ///   - title: nil for the default title.
    ///   - body: nil for the default text.
    package init(token: String, type: String? = nil, title: String?, body: String?) {
        self.token = token
        self.type = type
        self.title = title ?? Self.defaultTitle
        self.body = body ?? Self.defaultBody
    }
}

/// Tests the running push notifiers with their own connections and provider tokens.
///
/// Apple rejects provider tokens that are created more often than every 20 minutes, so a command must not create another token while the
/// service is running. The functions block until the providers have answered.
package struct NotifierTrials: Sendable {
    let prove: @Sendable ([Configuration.Notifier], Configuration) -> [JSONValue]
    let send: @Sendable (TestPush, Configuration.Notifier, Configuration) -> JSONValue?

    /// - Parameters:
    ///   - prove: returns the verdicts of the providers of the given notifiers that are running.
    ///   - send: returns the verdict on a push; nil when the notifier is not running.
    package init(
        prove: @escaping @Sendable ([Configuration.Notifier], Configuration) -> [JSONValue],
        send: @escaping @Sendable (TestPush, Configuration.Notifier, Configuration) -> JSONValue?
    ) {
        self.prove = prove
        self.send = send
    }
}

extension AdminContext {
    /// Returns the active push notifiers. For a command that has read a file, returns only notifiers whose settings are the same in the
    /// current file.
    /// - Parameter file: the absolute path of the command's configuration.
    fileprivate func pushNotifiers(asIn file: String?) -> [Configuration.Notifier] {
        let notifiers = state.configuration.notifiers.filter(\.type.isPush)
        guard let file else { return notifiers }
        guard let own = state.configuration.sources.files.first, (try? FileSystem.absolutePath(of: own)) == file,
            let next = try? Configuration(contentsOf: own)
        else { return [] }
        return notifiers.filter { next.notifiers.contains($0) }
    }
}

/// The parameters and members that both actions share.
private enum NotifierTrialRoute {
    static let file = AdminRoute.Parameter(
        "file", place: .body,
        text: "The absolute path of a configuration: a notifier that is not in force as this file has it now is not tried.")
    static let verdict: [(String, JSONValue)] = [
        ("notifier", Schema.text), ("status", Schema.choice(["good", "bad", "refused", "unknown"])), ("reason", Schema.text),
        ("remedy", AdminSchema.maybeText),
    ]
}

/// Checks the credentials of the running push notifiers with requests to the providers. Phones show nothing.
package struct NotifierProofAction: AdminAction {
    private static let path: StaticString = "/v1/notifiers/prove"
    private static let parameters = [NotifierTrialRoute.file]

    static let route = AdminRoute(
        .post, path: path, role: .operate,
        summary: "Checks the credentials of the running push notifiers at their providers. Phones show nothing.",
        parameters: parameters,
        answer: AdminRoute.Answer(
            ["notifiers"], ["notifiers": Schema.array(Schema.object(NotifierTrialRoute.verdict))],
            text: "The verdict on each tested notifier."),
        handling: .fromStore { request throws(AdminProblem) in
            try request.withBody { body throws(AdminProblem) in
                NotifierProofAction(file: try AdminFields(body, parameters).text("file"))
            }
        })

    let file: String?

    /// - Parameter file: the absolute path of the caller's configuration; nil tests all active notifiers.
    package init(file: String?) {
        self.file = file
    }

    package var request: AdminRequest {
        AdminRequest(.post, "\(Self.path)", body: JSONValue.object(file.map { ["file": .string($0)] } ?? [:]).serialized())
    }

    package var change: String? { "notifiers.prove" }

    /// Empty, because the providers belong to no app.
    package var remoteAppID: String? { "" }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        let verdicts = context.trials?.prove(context.pushNotifiers(asIn: file), context.state.configuration) ?? []
        return AdminAnswer(["notifiers": .array(verdicts)])
    }
}

/// Sends one push to one device with a running push notifier.
package struct NotifierPushAction: AdminAction {
    private static let path: StaticString = "/v1/notifiers/push"
    private static let parameters = [
        AdminRoute.Parameter("notifier", place: .body, isRequired: true, text: "A notifier of the type apns, fcm, rustore or hms."),
        AdminRoute.Parameter("token", place: .body, isRequired: true, text: "The device's push token."),
        AdminRoute.Parameter("type", place: .body, text: "The device's type."),
        AdminRoute.Parameter("title", place: .body, text: "Shown as the author."),
        AdminRoute.Parameter("body", place: .body, text: "Shown as the text."),
        NotifierTrialRoute.file,
    ]

    static let route = AdminRoute(
        .post, path: path, role: .operate, summary: "Has a running push notifier send one push to one device, as a comment would be sent.",
        parameters: parameters,
        answer: AdminRoute.Answer(
            NotifierTrialRoute.verdict.map(\.0), Dictionary(uniqueKeysWithValues: NotifierTrialRoute.verdict),
            text: "The provider's verdict.", refusals: [409]),
        handling: .fromStore { request throws(AdminProblem) in
            try request.withBody { body throws(AdminProblem) in
                let fields = try AdminFields(body, parameters)
                guard let notifier = try fields.text("notifier") else { throw AdminProblem("notifier", "missing.") }
                guard let token = try fields.text("token") else { throw AdminProblem("token", "missing.") }
                guard (1...PushToken.longest).contains(token.utf16.count) else {
                    throw AdminProblem("token", "expected 1 to \(PushToken.longest) characters.")
                }
                let push = TestPush(
                    token: token, type: try fields.text("type"), title: try fields.text("title"), body: try fields.text("body"))
                return NotifierPushAction(push, notifier: notifier, file: try fields.text("file"))
            }
        })

    let push: TestPush
    let notifier: String
    let file: String?

    /// - Parameters:
    ///   - notifier: the name of a push notifier.
    ///   - file: the absolute path of the caller's configuration; nil uses the active notifier.
    package init(_ push: TestPush, notifier: String, file: String?) {
        self.push = push
        self.notifier = notifier
        self.file = file
    }

    package var request: AdminRequest {
        var body: JSONObject = [
            "notifier": .string(notifier), "token": .string(push.token), "title": .string(push.title), "body": .string(push.body),
        ]
        if let type = push.type { body.append(.string(type), forKey: "type") }
        if let file { body.append(.string(file), forKey: "file") }
        return AdminRequest(.post, "\(Self.path)", body: JSONValue.object(body).serialized())
    }

    package var change: String? { "notifiers.push" }

    /// Empty, because the provider belongs to no app.
    package var remoteAppID: String? { "" }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        let configuration = context.state.configuration
        guard configuration.notifiers.contains(where: { $0.name.utf8.elementsEqual(notifier.utf8) && $0.type.isPush }) else {
            return .error(
                400, code: "malformed",
                message: "notifier: expected the name of a configured notifier of the type apns, fcm, rustore or hms.")
        }
        guard let tried = context.pushNotifiers(asIn: file).first(where: { $0.name.utf8.elementsEqual(notifier.utf8) }),
            let verdict = context.trials?.send(push, tried, configuration)
        else {
            return .error(
                409, code: "not_in_force", message: "The notifier does not run as the file has it; \(LocalizedText.reload.english).")
        }
        return AdminAnswer(verdict, about: [AuditField(name: "notifier", text: tried.name)])
    }
}
