import Core
import Crypto
import Notifiers
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Push notifiers, and the relay of registrations.
@Suite struct ConfigurationPushTests {
    private static let key = #""key":{"file":"secrets/AuthKey_ABCDE12345.p8"}"#
    private static let ids = #""key_id":"ABCDE12345","team_id":"FGHIJ67890""#
    private static let topic = #""topic":"com.example.chat""#
    private static let apns = #""type":"apns",\#(key),\#(ids),\#(topic)"#
    private static let fcm = #""type":"fcm","service_account":{"file":"secrets/service-account.json"}"#
    private static let rustore = #""type":"rustore","project_id":"project","token":{"file":"secrets/hms-secret"}"#
    fileprivate static let hms = #""type":"hms","app_id":"100","secret":{"file":"secrets/hms-secret"}"#
    private static let consoleOfApple = "which Apple shows beside it under Certificates, Identifiers & Profiles, Keys"

    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        try directory.writePushCredentials()
        try directory.scratch.write("tls/certificate.pem", TestCertificate.shared.certificate, mode: 0o644)
        try directory.scratch.write("tls/key.pem", TestCertificate.shared.key)
        try directory.scratch.write("tls/authority.pem", TestCertificate.shared.certificate)
        directory.environment["TWO_WORDS"] = "two words"
    }

    private static func notifiers(_ members: String) -> String { #""notifiers":{"log":{"type":"log"},"push":{\#(members)}}"# }

    private func kind(_ members: String) throws -> Configuration.Notifier.Kind {
        try directory.configuration(members: Self.notifiers(members)).notifiers[1].kind
    }

    fileprivate func push(_ members: String) throws -> PushSettings {
        guard case .push(let push) = try kind(members) else { throw ChildProcess.Failure.missingOutput }
        return push
    }

    @Test(arguments: [apns, fcm, rustore, hms])
    func `have defaults`(_ members: String) throws {
        let push = try push(members)
        #expect(push.style == (try PushStyle()))
        #expect(push.transport == NotifierTransport(timeoutSeconds: 20, concurrency: 100))
    }

    @Test(arguments: [apns, fcm, rustore, hms])
    func `show a neutral text by default`(_ members: String) throws {
        #expect(try push(members).style.content == .private)
    }

    @Test(arguments: [apns, fcm, rustore, hms])
    func `withdraw read notifications if configured`(_ members: String) throws {
        #expect(try push(members).style.withdraws == false)
        #expect(try push(#"\#(members),"withdraw":true"#).style.withdraws)
    }

    @Test func `can be set`() throws {
        let push = try push(
            """
            \(Self.fcm),"url":"https://fcm.example.com/","content":"author","language":"ru","templates":{"title":"{author}:"},"sound":null,
            "badge":0,"android_channel":"support","timeout_seconds":5,"concurrency":7,"proxy":"http://[::1]:3128"
            """)
        guard case .fcm(let fcm) = push.provider else { throw ChildProcess.Failure.missingOutput }
        #expect(fcm.url == "https://fcm.example.com")
        let style = try PushStyle(
            content: .author, templates: PushTemplates(language: "ru", texts: [.title: "{author}:"]), sound: nil, badge: 0,
            androidChannel: "support")
        #expect(push.style == style)
        #expect(push.transport == NotifierTransport(timeoutSeconds: 5, concurrency: 7, proxy: "http://[::1]:3128"))
    }

    @Test func `of Apple accept a key or a certificate`() throws {
        guard case .apns(let token) = try push(Self.apns).provider, case .token(_, "ABCDE12345", "FGHIJ67890") = token.credential else {
            throw ChildProcess.Failure.missingOutput
        }
        let members = #""type":"apns","certificate":"tls/certificate.pem","key":{"file":"tls/key.pem"},\#(Self.topic)"#
        let provider = try push(members).provider
        guard case .apns(let apns) = provider, case .certificate(let certificate, let key) = apns.credential else {
            throw ChildProcess.Failure.missingOutput
        }
        #expect(certificate.path == directory.scratch.path("tls/certificate.pem"))
        #expect(key.path == directory.scratch.path("tls/key.pem"))
        #expect(provider.certificateExpiresAt?.rawValue == CertificatePair.expiry(ofCertificate: TestCertificate.shared.certificate))
    }

    /// Forms of PEM from environment variables, `.env` files and web forms.
    private static let mangled: [@Sendable (String) -> String] = [
        { $0.replacing("\n", with: #"\n"#) }, { $0.replacing("\n", with: #"\r\n"#) }, { $0.replacing("\n", with: " ") },
        { $0.replacing("\n", with: "") }, { "\"\($0)\"" }, { "'\($0.replacing("\n", with: #"\n"#))'" },
        { $0.replacing("\n", with: "\r\n") },
        { $0.replacing("\n", with: "\n\n") }, { "  \($0)  " }, { $0.replacing("\n", with: "\n    ") }, { "\u{FEFF}\($0)" },
        { "Bag Attributes\n    friendlyName: key\n\($0)" }, { String($0.dropLast()) }, { $0.replacing("\n", with: "\t") },
        { $0.replacing("\n", with: "\u{2028}") }, { "KEY=\($0)" }, { $0.replacing("\n", with: #"\\n"#) },
        { $0.replacing("\n", with: "\\\n") },
    ]

    @Test(arguments: mangled.indices) func `of Apple accept a key from the environment`(index: Int) throws {
        let key = try KeyGeneration.p256()
        directory.environment["APNS_KEY"] = Self.mangled[index](key)
        let members = #""type":"apns","key":{"env":"APNS_KEY"},\#(Self.ids),\#(Self.topic)"#
        #expect(try directory.problems(members: Self.notifiers(members)) == [])
    }

    @Test func `relay registrations`() throws {
        for (members, url) in [
            ("", "https://pyrus.com/servicedeskapi/v1/SetPushToken"),
            (#","domain":"pyrus.example.com""#, "https://pyrus.example.com/servicedeskapi/v1/SetPushToken"),
            (#","url":"http://localhost:81/x""#, "http://localhost:81/x"),
        ] {
            guard case .relay(let relay) = try kind(#""type":"pyrus"\#(members)"#) else { throw ChildProcess.Failure.missingOutput }
            #expect(relay.url == url)
        }
    }

    @Test func `differ for another credential in the same file`() throws {
        let before = try push(Self.apns)
        #expect(try push(Self.apns) == before)
        try directory.scratch.write("secrets/AuthKey_ABCDE12345.p8", try KeyGeneration.p256())
        #expect(try push(Self.apns) != before)
    }

    @Test(arguments: [
        (
            #""type":"apns","topic":"a b""#,
            [
                "topic: expected a bundle identifier such as com.example.chat",
                "key_id: missing; give the identifier of the key, \(consoleOfApple); with a certificate give \"certificate\" instead",
                "team_id: missing; give the identifier of the team, which Apple shows under Membership details; "
                    + "with a certificate give \"certificate\" instead",
                #"key: missing; give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}"#,
            ]
        ),
        (
            #""type":"apns",\#(key),"key_id":"short","team_id":"AAAAA-AAAA",\#(topic)"#,
            ["key_id: expected 10 letters and digits", "team_id: expected 10 letters and digits"]
        ),
        (
            #""type":"apns",\#(key),\#(ids),\#(topic),"environment":"sandbox""#,
            ["environment: unknown key; remove it: whether a device is in the sandbox, Deskgate finds out by itself"]
        ),
        (
            #""type":"apns","key":{"file":"none.p8"},\#(ids),\#(topic)"#,
            [
                "key.file: cannot read DIR/none.p8: No such file or directory; download or copy it from its issuer, and save it there"
            ]
        ),
        (
            #""type":"apns","key":{"file":"tls/authority.pem"},\#(ids),\#(topic)"#,
            ["key: the key is PEM, but does not hold the key that is needed: a private key begins with BEGIN PRIVATE KEY"]
        ),
        (
            #""type":"apns","key":{"file":"secrets/service-account.json"},\#(ids),\#(topic)"#,
            ["key: the key is JSON, as service accounts are: give the file of the key itself, which begins with BEGIN PRIVATE KEY"]
        ),
        (
            #""type":"apns","certificate":"tls/certificate.pem","key":{"env":"TWO_WORDS"},\#(ids),\#(topic)"#,
            [
                #"key_id: belongs to a .p8 key; remove it, or remove "certificate""#,
                #"team_id: belongs to a .p8 key; remove it, or remove "certificate""#, "key.env: unknown key; known here: file",
                #"key: give {"file": "PATH"}; the key of a certificate must be a file"#,
            ]
        ),
        (
            #""type":"apns","certificate":"secrets/AuthKey_ABCDE12345.p8",\#(ids),\#(topic)"#,
            [
                "certificate: expected a file with certificates in PEM; the file holds a private key; "
                    + #"Apple's .p8 goes into "key", with "key_id" and "team_id", without "certificate""#
            ]
        ),
        (
            #""type":"apns","certificate":"tls/certificate.pem",\#(key),\#(topic)"#,
            ["key: the private key does not belong to the certificate"]
        ),
        (
            #"\#(apns),"url":"http://example.com","sandbox_url":"https://example.com/?x""#,
            [
                #"url: plain http leaves this machine unprotected; give an https address, or set "allow_http": true beside it"#,
                "sandbox_url: expected an address without a query, as paths are added to it; remove all from the ? on",
            ]
        ),
        (#"\#(fcm),"url":"https://${HOST}/""#, ["url: variables are not replaced here; write the address out"]),
        (#"\#(fcm),"url":"https://{{ host }}/""#, ["url: variables are not replaced here; write the address out"]),
        (
            #"\#(fcm),"url":"https://fcm.googleapis.com/fcm/send""#,
            ["url: the paths are added to it; give the host alone: https://fcm.googleapis.com"]
        ),
        (
            #"\#(apns),"url":"https://api.push.apple.com:443/3/device/""#,
            ["url: the paths are added to it; give the host alone: https://api.push.apple.com:443"]
        ),
        (
            #""type":"fcm","service_account":{"file":"tls/key.pem"}"#,
            [
                "service_account: the service account's file is PEM, as keys for APNs are: make one in the Firebase console under Project "
                    + "settings, Service accounts, Generate new private key"
            ]
        ),
        (
            #""type":"rustore","project_id":"a/b","token":{"env":"TWO_WORDS"}"#,
            [
                #"project_id: expected 1 to 128 letters, digits, "-", "_" or ".""#,
                "token: expected visible ASCII characters on one line; copy it again from the provider's console",
            ]
        ),
        (
            #""type":"hms","app_id":"app""#,
            ["app_id: expected 1 to 20 digits", #"secret: missing; give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}"#]
        ),
        (
            #"\#(hms),"content":"ful","badge":1"#,
            ["badge: unknown key; known here: \(hmsKeys)", #"content: expected one of "full", "author", "private"; did you mean "full"?"#]
        ),
        (
            #"\#(hms),"category":"im""#,
            [#"category: expected 1 to 32 capital letters or "_", such as "IM" or "SUBSCRIPTION", or null for none"#]
        ),
        (
            #"\#(fcm),"sound":"a b","badge":100000,"android_channel":"ü","language":"x y","templates":{"titel":"x","text":"{count}"}"#,
            [
                "badge: expected an integer from 0 to 99999, found 100000",
                #"sound: expected a name of 1 to 64 letters, digits, "-", "_", "." or "/", or null for none"#,
                #"android_channel: expected a name of 1 to 64 letters, digits, "-", "_", "." or "/""#,
                #"templates.titel: unknown key; did you mean "title"?"#,
                #"language: is not a language such as "en" or "pt-BR""#,
                "templates.text: has the placeholder {count}, which cannot be filled in here",
            ]
        ),
        (#""type":"pyrus","domain":"a/b""#, ["domain: expected the name of a host, such as pyrus.com"]),
        (#""type":"pyrus","domain":"a.b","url":"https://a.b""#, [#"domain: give "url" or "domain", not both"#]),
        (#"\#(apns),"requires_device":true"#, ["requires_device: unknown key; known here: \(apnsKeys)"]),
    ])
    func tellEveryMistake(members: String, problems: [String]) throws {
        let found = try directory.problems(members: Self.notifiers(members))
        #expect(found == problems.map { "$.notifiers.push.\($0)" })
    }
}

extension ConfigurationPushTests {
    @Test(arguments: [("", "IM"), (#","category":"SUBSCRIPTION""#, "SUBSCRIPTION"), (#","category":null"#, nil)] as [(String, String?)])
    func `HMS messages have a category`(member: String, category: String?) throws {
        guard case .hms(let hms) = try push(Self.hms + member).provider else { throw ChildProcess.Failure.missingOutput }
        #expect(hms.category == category)
    }
}

private let hmsKeys = ConfigurationReader.hmsKeys.names.sorted().joined(separator: ", ")
private let apnsKeys = ConfigurationReader.apnsKeys.names.sorted().joined(separator: ", ")
