internal import Core
internal import JSON
internal import Service
internal import Time

/// `deskgate key verify`
enum KeyVerifyCommand: Command {
    static let name = "key verify"
    static let summary = "Answers as the service would, with the reason: exit 0 for 200, 1 otherwise."
    static let options = [
        Option.config,
        Option("app", value: "ID", required: true, "the app_id"),
        Option("user", value: "ID", required: true, "the user_id"),
        Option("key", value: "KEY", required: true, secret: true, "the security key"),
        Option("at", value: "UNIX", default: "now", "the time to decide for, in seconds since 1970"),
        Option("json", "the default; for symmetry"),
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let now = try arguments.number("at", in: 0...UInt64.max) ?? Clocks.system.unixSeconds()
        let authorizer = try ConfiguredCommand.authorizer(ConfiguredCommand.configuration(arguments))
        let (app, user, key) = (bytes(arguments, "app"), bytes(arguments, "user"), bytes(arguments, "key"))
        let verdict = authorizer.decide(appID: app.span, userID: user.span, securityKey: key.span, now: now).verdict
        let reference = authorizer.userReference(appID: app.span, userID: user.span)
        Console.print(describe(verdict, key: SecurityKey(key.span), reference: reference))
        return verdict.status == 200 ? .done : .negative
    }

    private static func bytes(_ arguments: Arguments, _ name: String) -> [UInt8] {
        Array(arguments.required(name).utf8)
    }

    private static func describe(_ verdict: Verdict, key: SecurityKey?, reference: String?) -> JSONValue {
        var object: JSONObject = ["status": .integer(Int64(verdict.status)), "reason": .string(verdict.reason)]
        if case .malformed(let malformation) = verdict {
            object.append(.string(malformation.field.name), forKey: "field")
            object.append(.string(malformation.description), forKey: "message")
        } else if let key {
            object.append(.integer(Int64(key.keyID)), forKey: "key_id")
            object.append(.integer(Int64(key.issuedAt)), forKey: "issued_at")
            object.append(.integer(Int64(key.expiresAt)), forKey: "expires_at")
        }
        if case .malformed = verdict { return .object(object) }
        // As the log names the person.
        if let reference { object.append(.string(reference), forKey: "user_ref") }
        return .object(object)
    }
}
