internal import AdminAPI
internal import Configuration
internal import Core
internal import Crypto
internal import JSON
internal import POSIX
internal import Time

/// `deskgate key mint` and `key inspect`
enum KeyCommands {
    static let appAndUser = [
        Option("app", value: .app, required: true, field: "app_id", "the app_id"),
        Option("user", value: .text("ID"), required: true, field: "user_id", "the user_id"),
    ]
    static let key = Option("key", value: .secret("KEY"), required: true, field: "security_key", "the security key")

    // MARK: key mint

    static let mint = Command(
        "key mint", "Mints a security key for a user and prints it.",
        options: [.config] + appAndUser + [
            Option(
                "ttl", value: .lifetime, default: "as configured, 7d",
                "its life: seconds, or a number with s, m, h or d; 0 or never is for ever"),
            Option(
                "key-id", value: .number(0...UInt64(UInt32.max)), default: "the active one with the largest id",
                "which of the app's active keys makes it"), .json,
        ],
        examples: [
            Example("deskgate key mint --app my-app --user 42 --ttl 12h", "Mints a key for the user 42 that is valid for half a day.")
        ], run: runMint)

    private static func runMint(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let configuration = try arguments.configuration()
        let minting = KeyMinting(try authorizer(configuration), defaultLifetimeSeconds: configuration.defaultLifetimeSeconds)
        let minted = try explaining { () throws(KeyMinting.Refusal) in
            try minting.mint(
                appID: arguments.required("app"), userID: arguments.required("user"), keyID: arguments.number("key-id"),
                lifetimeSeconds: arguments["ttl"].flatMap(Duration.seconds), now: Clocks.system.unixSeconds())
        } as: {
            explain($0, configuration)
        }
        if let keyID = minted.json["key_id"]?.integer { warnOfRevocation(of: keyID, app: arguments.required("app"), configuration) }
        Console.answer(arguments, json: minted.json, text: minted.securityKey)
        return .done
    }

    /// Warns if a running service denies the keys signed with this key of the app.
    private static func warnOfRevocation(of keyID: Int64, app: String, _ configuration: Configuration) {
        let keys = (serviceStatus(configuration)?["keys"]?.elements ?? []).filter {
            $0["app_id"]?.text?.utf8.elementsEqual(app.utf8) == true
        }
        guard keys.contains(where: { $0["state"] == "revoked" && $0["key_id"]?.integer == keyID }) else { return }
        let option = "--app \(ShellWord.quoted(app))"
        let remedy =
            keys.contains { $0["state"] == "active" }
            ? "mint with another one (--key-id)" : "rotate the app's secret (deskgate secret rotate \(option))"
        Console.complain(
            "warning: the service denies this security key, because the key id \(keyID) is revoked; \(remedy), or make it valid again: "
                + "deskgate revocations list \(option)")
    }

    /// The status of a running service by `StatusAction`; nil when no service answers.
    static func serviceStatus(_ configuration: Configuration) -> JSONObject? {
        guard let answer = try? AdminAccess(serviceAt: configuration.admin).performInService(StatusAction()), answer.status == 200,
            case .object(let status) = answer.json
        else { return nil }
        return status
    }

    /// Returns the error with the option that causes a refusal to mint.
    private static func explain(_ refusal: KeyMinting.Refusal, _ configuration: Configuration) -> CommandError {
        switch refusal {
        case .malformed(let error):
            let option = mint.option(for: error.field.name)
            return option.map { .option($0.name, error.complaint) } ?? .usage(error.description)
        case .unknownApp: return unknownApp(configuration)
        case .unknownKey, .keyVerifyOnly, .keyEnded: return .option("key-id", refusal.description)
        case .noKey: return .option("app", refusal.description)
        case .noActiveKey: return .negative("no_active_key", refusal.description)
        case .lifetimeTooLong, .endTooFar, .outlivesKey: return .option("ttl", refusal.description)
        case .failed: return .failed(refusal.description)
        }
    }

    /// An authorizer with the configuration's apps and keys.
    static func authorizer(_ configuration: Configuration) throws(CommandError) -> Authorizer {
        try explaining { () throws(CryptoError) in try configuration.makeAuthorizer() }
    }

    // MARK: key inspect

    static let inspect = Command(
        "key inspect", "Shows the public fields of a security key; proves nothing.",
        details: "Use key verify to check that the key is genuine and not revoked.",
        exits: [.negative: "when it is not a security key"],
        options: [
            .config,
            Option(
                "app", value: .app, field: "app_id", "the app_id: show the state of the app's key that signed it, from the configuration"),
            key, .json,
        ],
        examples: [
            Example(
                "deskgate key mint --app my-app --user 42 | deskgate key inspect --app my-app --key -",
                "Shows when a key was issued, when it expires and which of the app's keys signed it.")
        ], run: runInspect)

    private static func runInspect(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let (key, problem) = FieldGrammar.parse(securityKey: Array(arguments.required("key").utf8).span)
        var answer = KeyAnswer()
        if let key {
            answer.append(key)
            if let app = arguments["app"] {
                answer.append(try self.app(app, in: arguments.configuration()).keys.first { $0.id == key.keyID })
            }
        } else {
            answer.append(ValidationError(.securityKey, problem), of: inspect)
        }
        Console.answer(arguments, json: .object(answer.json), text: answer.text)
        return key == nil ? .negative : .done
    }

    private static func app(_ id: String, in configuration: Configuration) throws(CommandError) -> Application {
        let authorizer = try authorizer(configuration)
        guard let index = authorizer.index(of: Array(id.utf8).span) else { throw unknownApp(configuration) }
        return authorizer.applications[index]
    }

    static func unknownApp(_ configuration: Configuration) -> CommandError {
        let apps = configuration.apps.map { AdminText.text(.string($0.id)) }.joined(separator: ", ")
        return .option("app", "no app with this app_id is configured; configured: \(apps)")
    }
}
