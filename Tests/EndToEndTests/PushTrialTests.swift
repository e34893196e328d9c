import Crypto
import JSON
import Simulators
import TestSupport
import Testing

/// `deskgate push test` and `deskgate check --live`, with valid and invalid credentials of each kind.
@Suite struct PushTrialTests {
    private static let providers: [(notifier: String, provider: SimulatedProvider)] = [
        ("apns", .apns), ("fcm", .fcm), ("hms", .hms), ("rustore", .rustore),
    ]

    private let site: PushSite

    init() throws {
        site = try PushSite()
    }

    private func pushTest(_ notifier: String, _ further: String...) throws -> Deskgate.Result {
        let words = ["push", "test", "--config", site.workspace.configuration, "--notifier", notifier, "--token", PushSite.token]
        let result = try Deskgate.run(words + further)
        #expect(!(result.output + result.errors).contains(PushSite.token))
        return result
    }

    private func checkLive(_ further: String...) throws -> Deskgate.Result {
        try Deskgate.run(["check", "--config", site.workspace.configuration, "--live"] + further)
    }

    @Test func `a push arrives through each provider`() throws {
        for (notifier, provider) in Self.providers {
            let before = site.simulators.recorder.count
            let result = try pushTest(notifier, "--title", "Ann", "--body", "Hello from \(notifier)")
            #expect(result.code == 0)
            #expect(result.output == "delivered: \(notifier) has handed it to the provider\n")
            #expect(site.simulators.recorder.wait(for: before + 1, milliseconds: WaitLimit.milliseconds))
            let push = try #require(site.simulators.recorder.pushes.last)
            #expect(push.provider == provider)
            #expect(push.title == "Ann")
            #expect(push.body == "Hello from \(notifier)")
            #expect(!push.isDryRun)
        }
    }

    @Test func `a push with an invalid credential is rejected with the remedy`() throws {
        try site.configure(site.badCredentials())
        for (notifier, _) in Self.providers {
            let result = try pushTest(notifier)
            #expect(result.code == 1)
            #expect(result.output.hasPrefix("rejected: "))
            #expect(result.output.contains(": check "))
            let json = try pushTest(notifier, "--json").json
            #expect(json.keys == ["status", "notifier", "reason", "remedy"])
            #expect(json.string("status") == "bad")
        }
        #expect(site.simulators.recorder.count == 0)
    }

    @Test func `a token unknown to the provider is rejected`() throws {
        site.simulators.devices[PushSite.token] = SimulatedDevice(refusal: .unregistered)
        for (notifier, _) in Self.providers {
            let result = try pushTest(notifier, "--json")
            #expect(result.code == 1)
            #expect(try result.json.string("status") == "refused")
            #expect(try result.json.string("remedy")?.contains("does not know this token") == true)
        }
    }

    @Test func `an unreachable provider is distinguished from one that rejects`() throws {
        try site.configure(["rustore": ["url": "https://localhost:1"], "hms": ["token_url": "https://localhost:1"]])
        for (notifier, reason) in [("rustore", "cannot_connect"), ("hms", "token_cannot_connect")] {
            let result = try pushTest(notifier)
            #expect(result.code == 1)
            #expect(
                result.output == "not delivered: \(reason): the provider cannot be reached: check \"url\", \"proxy\" and the firewall\n")
        }
        #expect(try checkLive().code == 1)
    }

    /// Each command without a service mints a provider token; the simulated APNs accepts three in 20 minutes.
    @Test func `too many provider tokens are reported`() throws {
        for _ in 0..<3 { #expect(try checkLive().code == 0) }
        let result = try checkLive()
        #expect(result.code == 1)
        #expect(
            result.output.contains(
                "\napns (apns): unknown: too_many_token_updates: Apple refuses provider tokens that are made more often than every 20 minutes"
            ))
    }

    /// Configures an additional notifier `cert`, with a certificate in place of a key.
    private func configureCertificate(_ pair: (certificate: String, key: String), _ changes: JSONObject = [:]) throws {
        try site.workspace.directory.write("cert.pem", pair.certificate)
        try site.workspace.directory.write("cert-key.pem", pair.key)
        let settings = try jsonObject(site.workspace.read("sim/notifiers.json"))["apns"]
        guard case .object(let members) = settings else { throw ChildProcess.Failure.missingOutput }
        var notifier: JSONObject = ["certificate": "cert.pem", "key": ["file": "cert-key.pem"]]
        for member in members.members where !["key", "key_id", "team_id"].contains(member.key) {
            notifier.append(changes[member.key] ?? member.value, forKey: member.key)
        }
        try site.configure(others: ["cert": .object(notifier)])
    }

    private static let away: JSONObject = ["url": "https://localhost:1", "sandbox_url": "https://localhost:1"]

    @Test func `a certificate that cannot be tested is reported with its known properties`() throws {
        let pair = try LoopbackCertificate()
        try configureCertificate((pair.certificate, pair.key), Self.away)
        let result = try checkLive()
        #expect(result.code == 1)
        #expect(
            result.output.contains(
                "\ncert (apns): unknown: cannot_connect: the provider cannot be reached: check \"url\", \"proxy\" and the firewall; proven is "
                    + "only that \"key\" belongs to \"certificate\", which is valid until 2"))
        #expect(result.output.contains(", and not that Apple accepts it\n"))
    }

    @Test func `an expired certificate is reported although Apple is unreachable`() throws {
        try configureCertificate(try TestAuthority().issue(isExpired: true), Self.away)
        let result = try checkLive()
        #expect(result.code == 2)
        #expect(result.output.contains("\ncert (apns): bad: cannot_connect: \"certificate\" expired at 2"))
    }

    /// The simulated APNs accepts only tokens.
    @Test func `a rejected certificate is reported`() throws {
        let pair = try LoopbackCertificate()
        try configureCertificate((pair.certificate, pair.key))
        let result = try checkLive()
        #expect(result.code == 2)
        #expect(result.output.contains("\ncert (apns): bad: missing_provider_token: check \"certificate\": "))
    }

    @Test(arguments: ["log", "nobody"])
    func `only push notifiers send pushes`(_ notifier: String) throws {
        let result = try pushTest(notifier)
        #expect(result.code == 2)
        #expect(result.errors == "deskgate: \(notifier) is no notifier that sends pushes; there are: apns, fcm, hms, rustore\n")
    }

    @Test func `a security key is not accepted as a token`() throws {
        let words = ["push", "test", "--config", site.workspace.configuration, "--notifier", "apns", "--token", wellFormedKey]
        let result = try Deskgate.run(words)
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: --token is a security key; "))
    }

    @Test func `a malformed token is reported as such`() throws {
        for (notifier, _) in Self.providers {
            let words = ["push", "test", "--config", site.workspace.configuration, "--notifier", notifier, "--token", "no push token"]
            let result = try Deskgate.run(words)
            #expect(result.code == 1)
            #expect(result.output.hasPrefix("rejected: invalid_token: the token is malformed"))
        }
    }

    /// FCM's error about the token shows that it has accepted the sender.
    @Test func `an error about the token proves the credential`() throws {
        site.simulators.devices["deskgate-check"] = SimulatedDevice(refusal: .invalid)
        let result = try checkLive()
        #expect(result.code == 0)
        #expect(result.output.contains("\nfcm (fcm): good\n"))
    }

    @Test func `valid credentials are tested without a push`() throws {
        let result = try checkLive()
        #expect(result.code == 0)
        let lines = result.output.split(separator: "\n").dropFirst()
        #expect(
            lines.sorted() == [
                "apns (apns): good; the topic was not judged", "fcm (fcm): good", "hms (hms): good; the permission to push was not judged",
                "log (log): only a delivery shows it", "rustore (rustore): good; the project was not judged",
            ])
        // Apple has no dry run; it gets an invisible push to a token that no device has.
        let seen = site.simulators.recorder.pushes.filter { !$0.isDryRun && !($0.title + $0.body).isEmpty }
        #expect(seen.isEmpty)
    }

    @Test func `invalid credentials are reported with their remedies`() throws {
        try site.configure(site.badCredentials())
        let result = try checkLive("--json")
        #expect(result.code == 2)
        guard case .array(let credentials) = try result.json["credentials"] else { throw ChildProcess.Failure.missingOutput }
        for (notifier, _) in Self.providers {
            let found = credentials.compactMap {
                if case .object(let object) = $0, object.string("notifier") == notifier { object } else { nil }
            }
            #expect(found.map { $0.string("status") } == ["bad"])
            #expect(found.first?.string("remedy")?.contains("check ") == true)
        }
        let text = try checkLive()
        #expect(text.code == 2)
        #expect(text.output.contains("\napns (apns): bad: invalid_provider_token: check \"key\""))
    }

    @Test func `init configures the simulators`() throws {
        let directory = site.workspace.directory
        let made = try Deskgate.run("init", directory.path("made"), "--simulator", directory.path("sim"))
        #expect(made.code == 0)
        // The default ports may be in use, which the check would report.
        #expect(try Command("sed", "-i", #"s/"port": [0-9]*/"port": 0/"#, directory.path("made/config.json")).status == 0)
        let result = try Deskgate.run("check", "--config", directory.path("made/config.json"), "--live", "--json")
        #expect(result.code == 0)
        guard case .array(let credentials) = try result.json["credentials"] else { throw ChildProcess.Failure.missingOutput }
        #expect(credentials.count == 5)
        #expect(made.output.contains(#"phones show a neutral text unless a push notifier's "content" is"#))
        let check = try Deskgate.run("check", "--config", directory.path("made/config.json"))
        #expect(
            check.output.hasSuffix(
                #"apns, fcm, hms, rustore: "content" is "full": phones show the author and the text of each reply, "#
                    + "and the provider reads both\n"))
    }

    @Test func `init needs a running simulator`() throws {
        let directory = site.workspace.directory
        let result = try Deskgate.run("init", directory.path("made"), "--simulator", directory.path("nothing"))
        #expect(result.code == 2)
        #expect(result.errors.contains("start this first and leave it running: deskgate simulate --directory"))
        #expect(!directory.contents().contains("made"))
    }
}
