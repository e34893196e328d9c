internal import Configuration
internal import Core
internal import Crypto
internal import JSON
internal import POSIX
internal import Service
internal import Time

/// `deskgate webhook verify`
enum WebhookVerifyCommand {
    static let command = Command(
        "webhook verify", "Verifies a webhook's signature, and with --explain shows which content was signed instead.",
        details: "Two kinds: with --app one that the help desk has sent, with --notifier one that Deskgate has sent to a backend. "
            + "The signature that would be right is never shown.",
        exits: [.done: "when it is genuine", .negative: "when not"],
        options: [
            .config, Option("app", value: .app, "the app_id of the app that the help desk's webhook is for"),
            Option("notifier", value: .notifier, "the notifier of type http that has sent the webhook"),
            Option("body", value: .file, required: true, "the raw body as it was received; - reads it from standard input"),
            Option(
                "signature", value: .text("VALUE"), required: true,
                "the value of the header: X-Pyrus-Sig, x-sendbird-signature, x-hub-signature or webhook-signature"),
            Option("id", value: .text("VALUE"), "with --notifier: the value of webhook-id"),
            Option("timestamp", value: .text("VALUE"), "with --notifier: the value of webhook-timestamp"),
            Option("at", value: .number(0...RFC3339.latest, Value.moment), default: "now", "when it is verified, in seconds since 1970"),
            Option("explain", "try other contents and ways of signing"), .json,
        ],
        examples: [
            Example(
                #"deskgate webhook verify --app my-app --body body.json --signature "$X_PYRUS_SIG" --explain"#,
                "Tells why a webhook of the help desk was refused."),
            Example(
                #"deskgate webhook verify --notifier backend --body - --id "$ID" --timestamp "$TIME" --signature "$SIGNATURE""#,
                "Verifies a webhook that a backend has received."),
        ], run: run)

    /// The largest body in bytes, so that every guess is made in seconds.
    private static let bodyLimit = 1 << 20

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let configuration = try arguments.configuration()
        let body = try body(arguments)
        let proof = try proof(arguments, configuration: configuration, body: body)
        let finding: SignatureDiagnosis.Finding?
        if case .different = proof.verdict, arguments.has("explain") {
            finding = try explaining { () throws(CryptoError) in try proof.explain() }
        } else {
            finding = nil
        }
        let digest = try explaining { () throws(CryptoError) in try sha256(body.span) }
        let report = WebhookReport(proof: proof, finding: finding, byteCount: body.count, digest: digest)
        Console.answer(arguments, json: report.json, text: report.text)
        if case .genuine = proof.verdict { return .done }
        return .negative
    }

    private static func body(_ arguments: Arguments) throws(CommandError) -> [UInt8] {
        let path = arguments.required("body")
        // A body in place of its file is not repeated: it has people's texts.
        guard !path.hasPrefix("{") else { throw .option("body", "expected a file; - reads the body from standard input") }
        let body = try explaining { () throws(SystemError) in
            path == SecretInput.mark ? try File.readStandardInput(limit: bodyLimit) : try File.read(path, limit: bodyLimit).bytes
        } as: {
            .option("body", "\(path) cannot be read: \($0)\($0.isTooLarge ? "; give one of at most 1 MiB" : "")")
        }
        guard !body.isEmpty else { throw .option("body", "\(path == SecretInput.mark ? "standard input" : path) is empty") }
        return body
    }

    private static func proof(_ arguments: Arguments, configuration: Configuration, body: [UInt8]) throws(CommandError) -> WebhookProof {
        for name in ["signature", "id", "timestamp"] where arguments[name]?.isEmpty == true {
            throw .option(name, "is empty; is the variable set?")
        }
        let signature = arguments.required("signature")
        switch (arguments["app"], arguments["notifier"]) {
        case (let app?, nil):
            for name in ["id", "timestamp", "at"] where arguments.has(name) { throw .option(name, "needs --notifier") }
            guard let index = configuration.apps.firstIndex(where: { $0.id.utf8.elementsEqual(app.utf8) }) else {
                throw KeyCommands.unknownApp(configuration)
            }
            let proof = try explaining { () throws(CryptoError) in
                try WebhookProof(ofApp: index, in: configuration, body: body, signature: signature)
            }
            guard let proof else {
                throw .option("app", "the app has no webhook.signature_secret and is not of Sendbird, so no signature is verified")
            }
            return proof
        case (nil, let name?):
            guard let id = arguments["id"], let timestamp = arguments["timestamp"] else {
                throw .usage("--notifier needs --id and --timestamp, which are signed with the body")
            }
            let now = arguments.number("at").map(UnixSeconds.init(rawValue:)) ?? Clocks.system.unixSeconds()
            let stamp = WebhookProof.Stamp(id: id, timestamp: timestamp, now: now.milliseconds)
            let proof = try explaining { () throws(CryptoError) in
                try WebhookProof(ofNotifier: name, in: configuration, body: body, signature: signature, stamp: stamp)
            }
            guard let proof else { throw .option("notifier", "no notifier of type http has this name") }
            return proof
        default: throw .usage("expected either --app or --notifier")
        }
    }
}

private struct WebhookReport {
    let proof: WebhookProof
    let finding: SignatureDiagnosis.Finding?
    let byteCount: Int
    let digest: [UInt8]

    /// The answer of `--json`.
    var json: JSONValue {
        var json: JSONObject = ["status": .string(word), "header": .string(proof.scheme.header)]
        if let secret { json.append(.string(secret), forKey: "secret") }
        json.append(["bytes": .integer(Int64(byteCount)), "sha256": .string(fingerprint)], forKey: "body")
        if let finding {
            json.append(.string(reason(finding)), forKey: "reason")
            json.append(.array(sentences(finding).map { .string($0) }), forKey: "explanation")
        }
        return .object(json)
    }

    var text: String {
        switch proof.verdict {
        case .genuine(let secret): "\(Console.painted("genuine", .green)): signed with \(secret)"
        case .expired(let secret):
            "\(notGenuine): signed with \(secret), but webhook-timestamp is more than 5 minutes from now; another sender repeated it, "
                + "or one of the clocks is wrong"
        case .different:
            ([notGenuine + (finding == nil ? "; --explain shows why" : "")] + (finding.map(sentences) ?? [])).joined(separator: "\n")
        }
    }

    private var notGenuine: String { Console.painted("not genuine", .red) }

    private var word: String {
        switch proof.verdict {
        case .genuine: "genuine"
        case .expired: "expired"
        case .different: "not_genuine"
        }
    }

    private var secret: String? {
        switch proof.verdict {
        case .genuine(let secret), .expired(let secret): secret
        case .different: nil
        }
    }

    private var fingerprint: String { digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

    private func reason(_ finding: SignatureDiagnosis.Finding) -> String {
        switch finding {
        case .malformed: "malformed"
        case .differences: "differs"
        case .unknown: "unknown"
        }
    }

    private func sentences(_ finding: SignatureDiagnosis.Finding) -> [String] {
        let scheme = proof.scheme
        let expected = """
            Expected: in \(scheme.header) an \(scheme.algorithm.rawValue) in \(scheme.encoding.rawValue), made with \
            \(proof.secretNames.joined(separator: " or ")) over \(scheme.decodesSecret ? "webhook-id.webhook-timestamp.body, with " : "")\
            the \(byteCount) received bytes of the body, whose SHA-256 is \(fingerprint).
            """
        switch finding {
        case .malformed:
            return [
                expected,
                "The value of \(scheme.header) is no signature: \(scheme.algorithm.codeCount) bytes in \(scheme.encoding.rawValue) were expected.",
            ]
        case .differences(let differences):
            return [expected] + differences
        case .unknown:
            let stamped = scheme.decodesSecret ? ", or with another webhook-id or webhook-timestamp" : ""
            let guess = "No guess leads to this signature: it was made with another secret, or over another body\(stamped). "
            let event = "The value of --id is the id in the body, which is the event's: take webhook-id, which is the delivery's."
            return [expected, guess + "Compare the SHA-256 with the sender's."] + (proof.hasEventID ? [event] : [])
        }
    }
}
