internal import Configuration
internal import Core
internal import Crypto
internal import JSON
internal import Operators
internal import Time

/// `deskgate key mint` and `key inspect`
enum KeyCommands {
    static let appAndUser = [
        Option("app", value: .app, required: true, field: "app_id", "the app_id"),
        Option("user", value: .text("ID"), required: true, field: "user_id", "the user_id"),
    ]

    // MARK: key mint

    static let mint = Command(
        "key mint", "Makes a security key for a user and prints it.",
        options: [.config] + appAndUser + [
            Option(
                "ttl", value: .lifetime, default: "as configured, 30d",
                "how long it lives: seconds, or a number with s, m, h or d; 0 or never is for ever"),
            Option(
                "key-id", value: .number(0...UInt64(UInt32.max)), default: "the active one with the largest id",
                "which of the app's active keys makes it"), .json,
        ],
        examples: [
            Example("deskgate key mint --app my-app --user 42 --ttl 12h", "Makes a key for the user 42 that lives for half a day.")
        ], run: runMint)

    private static func runMint(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let configuration = try arguments.configuration()
        let minting = KeyMinting(try authorizer(configuration), defaultLifeSeconds: configuration.defaultLifeSeconds)
        let minted = try explaining { () throws(KeyMinting.Refusal) in
            try minting.mint(
                appID: arguments.required("app"), userID: arguments.required("user"), keyID: arguments.number("key-id"),
                lifeSeconds: arguments["ttl"].flatMap(Duration.seconds), now: Clocks.system.unixSeconds())
        } as: {
            explain($0, configuration)
        }
        Console.answer(arguments, minted.json, minted.securityKey)
        return .done
    }

    /// Names the option that is the reason for a minting refusal.
    private static func explain(_ refusal: KeyMinting.Refusal, _ configuration: Configuration) -> CommandError {
        switch refusal {
        case .malformed(let malformation):
            let option = mint.option(for: malformation.field.name)
            return option.map { .option($0.name, malformation.complaint) } ?? .usage(malformation.description)
        case .unknownApp: return unknownApp(configuration)
        case .unknownKey, .keyNotActive: return .option("key-id", refusal.description)
        case .noKey: return .option("app", refusal.description)
        case .noActiveKey: return .negative("no_active_key", refusal.description)
        case .lifeTooLong, .endTooFar, .outlivesKey: return .option("ttl", refusal.description)
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
        operand: Operand(.secret("KEY"), "the security key"),
        options: [
            .config, Option("app", value: .app, "the app_id: tell the state of the app's key that made it, from the configuration"),
            .json,
        ],
        examples: [
            Example(
                "deskgate key mint --app my-app --user 42 | deskgate key inspect --app my-app -",
                "Shows when a key was issued, when it expires and which of the app's keys made it.")
        ], run: runInspect)

    private static func runInspect(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let text = Array((arguments.operand ?? "").utf8)
        guard let key = SecurityKey(text.span) else {
            throw .negative("malformed", "not a security key; expected dgk1. and 84 base64url characters")
        }
        var json: JSONObject = ["version": 1]
        append(key, to: &json)
        var lines = [
            "version     1", "key id      \(key.keyID)", "issued at   \(time(key.issuedAt))",
            "expires at  \(key.expiresAt == 0 ? "never" : time(key.expiresAt))",
        ]
        if let app = arguments["app"] {
            let secret = try self.app(app, in: arguments.configuration()).keys.first { $0.id == key.keyID }
            append(secret, to: &json)
            lines.append("key state   \(secret.map { $0.state.rawValue } ?? "unknown: the app has no key of this id, or not any more")")
            if let end = secret?.notAfter { lines.append("not after   \(time(end))") }
        }
        Console.answer(arguments, .object(json), lines.joined(separator: "\n"))
        return .done
    }

    /// Finds an app with its keys.
    private static func app(_ id: String, in configuration: Configuration) throws(CommandError) -> Application {
        let authorizer = try authorizer(configuration)
        guard let index = authorizer.index(of: Array(id.utf8).span) else { throw unknownApp(configuration) }
        return authorizer.applications[index]
    }

    /// Names the apps that are configured.
    static func unknownApp(_ configuration: Configuration) -> CommandError {
        let apps = configuration.apps.map { AdminText.text(.string($0.id)) }.joined(separator: ", ")
        return .option("app", "no app with this app_id is configured; configured: \(apps)")
    }

    /// Adds what is configured of the key that made a security key; null when the app has none of that id.
    static func append(_ secret: Application.Key?, to object: inout JSONObject) {
        object.append(secret.map { .string($0.state.rawValue) } ?? .null, forKey: "key_state")
        object.append(secret?.notAfter.map { .integer(Int64($0.rawValue)) } ?? .null, forKey: "key_not_after")
    }

    /// Adds the public fields of a security key.
    static func append(_ key: SecurityKey, to object: inout JSONObject) {
        object.append(.integer(Int64(key.keyID)), forKey: "key_id")
        object.append(.integer(Int64(key.issuedAt.rawValue)), forKey: "issued_at")
        object.append(.integer(Int64(key.expiresAt.rawValue)), forKey: "expires_at")
    }

    private static func time(_ moment: UnixSeconds) -> String {
        // RFC 3339 has no date after 9999-12-31T23:59:59Z.
        let date = moment.rawValue > RFC3339.latest ? "after the year 9999" : RFC3339.text(moment.milliseconds)
        return "\(moment)  \(date)"
    }
}
