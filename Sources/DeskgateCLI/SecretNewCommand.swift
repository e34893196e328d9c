internal import Crypto
internal import JSON
internal import POSIX

/// `deskgate secret new`
enum SecretNewCommand: Command {
    static let name = "secret new"
    static let summary = "Makes a new random secret: 32 bytes as 43 base64url characters."
    static let options = [
        Option("out", value: "FILE", "write it into a new file of mode 600, and show nothing; never overwrites"),
        Option("signing", "as whsec_ and base64, for a notifier of type http"), Option.json,
    ]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let secret = try made(isSigning: arguments.has("signing"))
        guard let file = arguments["out"] else {
            arguments.has("json") ? Console.print(["secret": .string(secret)]) : Console.print(secret)
            return .done
        }
        try Arguments.refuseKey(file, as: "--out")
        do throws(SystemError) {
            try File.create(file, mode: 0o600, "\(secret)\n".utf8)
        } catch {
            if error.alreadyExists { throw .negative("exists", "\(file) exists already; nothing was changed") }
            throw .option("out", "cannot make \(file): \(error)")
        }
        if arguments.has("json") { Console.print(["file": .string(file)]) }
        return .done
    }

    /// Makes a secret for an app, a webhook or the admin token.
    static func newSecret() throws(CryptoError) -> String {
        let bytes: InlineArray<32, UInt8> = try randomBytes()
        return Base64URL.encode(bytes.span)
    }

    private static func made(isSigning: Bool) throws(CommandError) -> String {
        do throws(CryptoError) {
            guard isSigning else { return try newSecret() }
            let bytes: InlineArray<32, UInt8> = try randomBytes()
            return "whsec_" + Base64.encode(bytes.span)
        } catch {
            throw .failed(error.description)
        }
    }
}
