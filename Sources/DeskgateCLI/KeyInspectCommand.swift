internal import Core
internal import JSON
internal import Observability

/// `deskgate key inspect`
enum KeyInspectCommand: Command {
    static let name = "key inspect"
    static let summary = "Shows the public fields of a security key; proves nothing."
    static let operand: Operand? = Operand(name: "KEY", isRequired: true, isSecret: true, help: "the security key")
    static let options = [Option.json]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let text = Array((arguments.operand ?? "").utf8)
        guard let key = SecurityKey(text.span) else {
            throw .negative("malformed", "not a security key; expected dgk1. and 84 base64url characters")
        }
        if arguments.has("json") {
            Console.print([
                "version": 1, "key_id": .integer(Int64(key.keyID)), "issued_at": .integer(Int64(key.issuedAt)),
                "expires_at": .integer(Int64(key.expiresAt)),
            ])
        } else {
            Console.print(
                """
                version     1
                key id      \(key.keyID)
                issued at   \(time(key.issuedAt))
                expires at  \(key.expiresAt == 0 ? "never" : time(key.expiresAt))
                """)
        }
        return .done
    }

    private static func time(_ seconds: UInt64) -> String {
        // RFC 3339 has no later date than 9999-12-31T23:59:59Z.
        let date = seconds > 253_402_300_799 ? "after the year 9999" : WallTime(seconds: Int64(seconds)).text
        return "\(seconds)  \(date)"
    }
}
