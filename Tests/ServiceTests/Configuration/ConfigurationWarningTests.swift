import Core
import Crypto
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct ConfigurationWarningTests {
    private static let day: UInt64 = 24 * 3600

    private func warnings(admin: String, now: UnixSeconds = 0) throws -> [String] {
        let json = ServiceFixture.json(admin: admin)
        return try ConfigurationDirectory().configuration(json).warnings(now: now).map(\.path)
    }

    @Test(arguments: [#""host":"0.0.0.0""#, #""host":"::""#, #""host":"192.0.2.7""#, #""host":"admin.example""#])
    func `an admin listener without TLS for other machines`(host: String) throws {
        #expect(try warnings(admin: host) == ["$.admin.tls"])
    }

    @Test(arguments: [#""port":0"#, #""host":"127.8.0.1""#, #""host":"::1""#, #""host":"localhost""#, #""unix":"admin.sock""#])
    func `a local admin listener without TLS causes none`(host: String) throws {
        #expect(try warnings(admin: host) == [])
    }

    @Test func `certificates that expire soon cause warnings`() throws {
        let directory = try ConfigurationDirectory()
        let pair = try LoopbackCertificate()
        try directory.scratch.write("certificate.pem", pair.certificate)
        try directory.scratch.write("key.pem", pair.key)
        let tls = #""tls":{"certificate":"certificate.pem","key":"key.pem"}"#
        let configuration = try directory.configuration(ServiceFixture.json(admin: #""host":"0.0.0.0",\#(tls)"#, listen: tls))
        let end = UnixSeconds(rawValue: try #require(CertificatePair.expiry(ofCertificate: pair.certificate)))
        func messages(_ now: UnixSeconds) -> [String] { configuration.warnings(now: now).map { "\($0)" } }
        #expect(messages(end - 14 * Self.day) == [])
        let paths = ["$.listen.tls.certificate", "$.admin.tls.certificate"]
        let time = RFC3339.text(end.milliseconds)
        #expect(messages(end - 14 * Self.day + 1) == paths.map { "\($0): expires at \(time); renew it and run deskgate reload" })
        #expect(messages(end) == paths.map { "\($0): expired at \(time); renew it and run deskgate reload" })
    }

    /// The whole file is compared, because a pinned key does not show the renewal.
    @Test func `a certificate renewed with the same key is detected`() throws {
        let directory = try ConfigurationDirectory()
        let pair = try LoopbackCertificate()
        try directory.scratch.write("certificate.pem", pair.certificate)
        try directory.scratch.write("key.pem", pair.key)
        let tls = #""tls":{"certificate":"certificate.pem","key":"key.pem"}"#
        let json = ServiceFixture.json(admin: #""host":"0.0.0.0",\#(tls)"#, listen: tls)
        let configuration = try directory.configuration(json)
        #expect(configuration.listenersWithRenewedCertificate == [])
        try directory.scratch.write("certificate.pem", pair.certificate + pair.authority)
        #expect(configuration.listenersWithRenewedCertificate == ["public", "admin"])
        #expect(try directory.configuration(json).listenersWithRenewedCertificate == [])
        #expect(try directory.configuration(ServiceFixture.json()).listenersWithRenewedCertificate == [])
    }

    /// The warnings for an app with the key 1, which has these members.
    private func keyWarnings(_ members: String, now: UnixSeconds) throws -> [String] {
        let json = ServiceFixture.json(keys: [1]).replacing(#"app-1.key"}"#, with: #"app-1.key"}\#(members)"#)
        return try ConfigurationDirectory().configuration(json).warnings(now: now).map { "\($0)" }
    }

    @Test func `an app without an active key causes a warning`() throws {
        let warning =
            #"$.apps[0].keys: none is active and before its "not_after", so no security key can be minted for this app; "#
            + #"make one "active", or run deskgate secret rotate"#
        let end: UnixSeconds = 2_000_000_000
        let until = #","not_after":2000000000"#
        #expect(try keyWarnings("", now: end) == [])
        #expect(try keyWarnings(#","state":"verify_only""#, now: end) == [warning])
        #expect(try keyWarnings(until, now: end + 1) == [warning])
        #expect(try keyWarnings(until, now: end - 14 * Self.day) == [])
        let soon =
            "$.apps[0].keys: no security key can be minted for this app after 2033-05-18T03:33:20.000Z, "
            + #"the "not_after" of the last active one; add one with deskgate secret rotate"#
        for now in [end - 14 * Self.day + 1, end] { #expect(try keyWarnings(until, now: now) == [soon]) }
    }

    @Test(arguments: ["", #","state":"verify_only""#]) func `an app without a valid key causes a warning`(state: String) throws {
        let warning =
            "$.apps[0].keys: the last one ended at 1970-08-23T14:53:51.000Z, so all users of this app are denied; "
            + #"correct its "not_after", or run deskgate secret rotate"#
        #expect(try keyWarnings(#"\#(state),"not_after":20271231"#, now: TestTime.now) == [warning])
    }

    /// The warnings for an app with webhooks and these members, when a log, a backend and a push notifier exist.
    private func audienceWarnings(_ app: String, of key: String = "notifiers") throws -> [ConfigurationWarning] {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/path", "a-path-secret-of-the-app\n")
        try directory.scratch.write("secrets/crm", TestSecret.signing(41))
        try directory.scratch.write("secrets/rustore", "a-token-of-the-provider\n")
        let notifiers =
            #""log":{"type":"log"},"crm":{"type":"http","url":"https://crm.test/","secret":{"file":"secrets/crm"}},"#
            + #""phones":{"type":"rustore","project_id":"p","token":{"file":"secrets/rustore"}}"#
        let json = #"{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]\#(app)}"#
        return try directory.configuration(#"{"apps":[\#(json)],"notifiers":{\#(notifiers)}}"#).reportedWarnings(now: 0)
            .filter { $0.path == "$.apps[0].\(key)" }
    }

    private static let webhook = #","webhook":{"secret":{"file":"secrets/path"}}"#

    @Test(arguments: [#","notifiers":["log"]"#, #","notifiers":[]"#, #","notifiers":[],"routes":{"default":"log"}"#])
    func `an app with only the log notifier notifies no one`(notifiers: String) throws {
        let warning = try #require(try audienceWarnings(Self.webhook + notifiers).first)
        #expect(warning.message.english.hasPrefix("no one is notified of this app's replies, because its only notifier is the log; "))
        #expect(warning.message.isTranslated)
    }

    @Test(arguments: [
        webhook + #","notifiers":["log","crm"]"#, webhook + #","notifiers":["log"],"routes":{"default":"phones"}"#,
        #","notifiers":["log"]"#,
    ])
    func `an app with another notifier, or without webhooks, causes none`(app: String) throws {
        #expect(try audienceWarnings(app).isEmpty)
    }

    @Test func `anonymous comments need a notifier that needs no device`() throws {
        let accepted = Self.webhook + #","anonymous":"accept""#
        let phones = #","notifiers":[],"routes":{"default":"phones"}"#
        let warning = try #require(try audienceWarnings(accepted + phones, of: "anonymous").first)
        #expect(warning.message.english.hasPrefix("comments without a user are not delivered, "))
        #expect(warning.message.isTranslated)
        #expect(try audienceWarnings(accepted + #","notifiers":["crm"],"routes":{"default":"phones"}"#, of: "anonymous").isEmpty)
        #expect(try audienceWarnings(Self.webhook + phones, of: "anonymous").isEmpty)
    }

    /// The warnings for a configuration of one app with this id, whose members are added to the smallest valid ones.
    private func appWarnings(_ id: String, _ app: String = "", members: String = #""log":{}"#) throws -> [String] {
        let apps = ConfigurationDirectory.apps.replacing(#""shop""#, with: "\"\(id)\"\(app)")
        let directory = try ConfigurationDirectory()
        directory.environment["SIGNING"] = TestSecret.signing(20)
        let configuration = try directory.configuration("{\(apps),\(members)}")
        for warning in configuration.reportedWarnings(now: 0) {
            #expect(warning.message.isTranslated)
            for language in Language.allCases { #expect(!warning.remedy.text(in: language).isEmpty) }
        }
        return configuration.warnings(now: 0).map { $0.line(in: "FILE") }
    }

    @Test(arguments: ["shop ", " shop", "shop\u{A0}", "shop\u{200B}", "\u{FEFF}shop", "“shop”", "'shop'", "«shop"])
    func `an app_id with leading or trailing white space`(_ id: String) throws {
        let warnings = try appWarnings(id)
        #expect(warnings.count == 1)
        let message = "has white space, a quote or an invisible character "
        #expect(warnings.first?.hasPrefix("FILE: $.apps[0].app_id (app_id \"\(id)\"): \(message)") == true)
    }

    @Test func `white space within an app_id causes none`() throws {
        #expect(try appWarnings("the shop") == [])
    }

    private static func notifier(at url: String) -> String {
        #""notifiers":{"log":{"type":"log"},"backend":{"type":"http","url":"\#(url)","secret":{"env":"SIGNING"}}}"#
    }

    @Test(arguments: [("https://events.example/", true), ("https://192.0.2.7/", true), ("http://127.0.0.1:8081/", false)])
    func `the placeholder of an app_id causes a warning if other machines are called`(url: String, isWarned: Bool) throws {
        let warnings = try appWarnings("my-app", #","notifiers":["log","backend"]"#, members: Self.notifier(at: url))
        let expected =
            "FILE: $.apps[0].app_id (app_id \"my-app\"): is a placeholder, but the service calls other machines; "
            + "give the app_id that the help desk shows"
        #expect(warnings == (isWarned ? [expected] : []))
    }

    @Test(arguments: [
        "THE-APP-ID-THAT-PYRUS-SHOWS", "THE-APPLICATION-ID-OF-SENDBIRD", "${PYRUS_APP_ID}", "{{ .Values.appId }}", "<no value>", "null",
    ])
    func `an app_id that was not filled in`(_ id: String) throws {
        let warnings = try appWarnings(id, #","notifiers":["log","backend"]"#, members: Self.notifier(at: "https://events.example/"))
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains(": is a placeholder, but the service calls other machines; ") == true)
    }

    @Test func `the placeholder with only a log causes none`() throws {
        #expect(try appWarnings("my-app") == [])
    }

    @Test(arguments: [
        (#","notifiers":["log"]"#, "", ["backend"]), (#","notifiers":["backend"]"#, "", ["log"]),
        (#","notifiers":["log","backend"]"#, "", []), (#","notifiers":["log"],"routes":{"default":"backend"}"#, "", []),
        (#","notifiers":["log"]"#, #","operators":{"notifiers":["backend"]}"#, []),
    ])
    func `an unused notifier`(app: String, operators: String, unused: [String]) throws {
        let warnings = try appWarnings("shop", app, members: Self.notifier(at: "https://events.example/") + operators)
        let message =
            #"nothing is delivered to it, because neither an app's "notifiers" or "routes" nor $.operators.notifiers names it; "#
            + "name it there, or remove it"
        #expect(warnings == unused.map { "FILE: $.notifiers.\($0): \(message)" })
    }

    @Test func `the default log causes none`() throws {
        #expect(try appWarnings("shop", #","notifiers":[]"#) == [])
    }
}
