internal import Crypto
internal import JSON
internal import POSIX

/// `deskgate secret new`
enum SecretCommand {
    static let new = Command(
        "secret new", "Creates a new random secret: 32 bytes as 43 base64url characters.",
        options: [
            Option("out", value: .file, "write it into a new file of mode 600 without printing it; never overwrites"),
            Option("signing", "as whsec_ and base64, for a notifier of type http or for verify"), .json,
        ],
        examples: [
            Example(
                "deskgate secret new --out /etc/deskgate/secrets/my-app",
                "Writes a new secret into a new file that only its owner can read."),
            Example("deskgate secret new --signing", "Prints one for signing the events of an http notifier."),
        ], run: run)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let secret = try newSecret(isSigning: arguments.has("signing"))
        guard let file = arguments["out"] else {
            Console.answer(arguments, json: ["secret": .string(secret)], text: secret)
            return .done
        }
        try explaining { () throws(SystemError) in
            try Process.asOwner(of: file) { () throws(SystemError) in try File.create(file, mode: 0o600, "\(secret)\n".utf8) }
        } as: {
            $0.alreadyExists
                ? .negative("exists", "\(file) exists already; nothing was changed; name a file that does not")
                : .option("out", "cannot make \(file): \($0)\($0.remedy(at: file, arguments.line))")
        }
        if arguments.has("json") { Console.print(["file": .string(file)]) }
        return .done
    }

    /// Creates a secret for an app, a webhook or the admin token, or one for signing the events of an `http` notifier.
    static func newSecret(isSigning: Bool = false) throws(CommandError) -> String {
        try explaining { () throws(CryptoError) in isSigning ? try NewSecret.signing() : try NewSecret.text() }
    }
}
