import Bytes
import Core
import HTTPServer
import TestSupport
import Testing
import Time

@testable import AdminAPI

/// Problems with authorizations, webhooks and their callers.
@Suite struct AnswerProblemTests: ProblemScene {
    @Test(arguments: [
        ("192.0.2.7", CrowdedListener.Name.public, "192.0.2.7 has", "listen.trusted_proxies"),
        ("2001:db8::", .admin, "2001:db8::/48 has", "admin.max_connections"),
    ])
    func `a caller with too many connections is reported with the remedy`(
        _ caller: String, listener: CrowdedListener.Name, text: String, remedy: String
    ) throws {
        let crowded = CrowdedListener(listener, ReachedBound(of: IPAddress(caller), isRefused: true))
        let problem = try #require(try Self.search(crowded: [crowded]).problems.first)
        #expect(problem.subject == listener.rawValue)
        #expect(problem.text.english.hasPrefix(text))
        #expect(problem.remedy.english.contains(remedy))
        #expect(problem.severity == .warning)
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    /// If `listen.allow` was not set, a reload does not apply it.
    @Test func `allowing the help desk needs a restart`() throws {
        let crowded = CrowdedListener(.public, ReachedBound(of: IPAddress("192.0.2.7"), isRefused: true))
        let problem = try #require(try Self.search(crowded: [crowded]).problems.first)
        let remedy = "raise listen.max_connections or list it in listen.allow (which must name every caller), and restart."
        #expect(problem.remedy.english.contains(remedy))
    }

    @Test(arguments: [
        (CrowdedListener.Name.public, true, false, Problem.Severity.problem), (.public, true, true, .warning),
        (.public, false, false, .warning), (.admin, true, false, .warning),
    ])
    func `a caller with too many connections is severe while no user is allowed`(
        _ listener: CrowdedListener.Name, isRefused: Bool, letsIn: Bool, severity: Problem.Severity
    ) throws {
        let crowded = CrowdedListener(listener, ReachedBound(of: IPAddress("192.0.2.7"), isRefused: isRefused))
        let search = try Self.search(crowded: [crowded], letsIn: letsIn)
        let problem = try #require(search.problems.first)
        #expect(problem.severity == severity)
        #expect(problem.text.english.contains("503 (too_many_connections)"))
        #expect(problem.text.english.hasSuffix("No caller was admitted within the last minute.") == (severity == .problem))
        #expect(search.severe.map(\.hasEvent) == (severity == .problem ? [true] : []))
    }

    @Test(arguments: [(CrowdedListener.Name.public, true), (.admin, false)])
    func `a full listener closes the chat when it is the public one`(_ listener: CrowdedListener.Name, _ closes: Bool) throws {
        let search = try Self.search(crowded: [CrowdedListener(listener, ReachedBound(of: nil, isRefused: true))])
        #expect((search.closing("shop").ofAll != nil) == closes)
    }

    @Test func `a caller with too many connections is reported although the chat is open`() throws {
        let closing = try Self.search(crowded: [CrowdedListener(.public, ReachedBound(of: IPAddress("192.0.2.7"), isRefused: true))])
            .closing("shop")
        #expect(closing.ofAll == nil)
        #expect(closing.steps(isAllowed: false).map(\.outcome) == [.note])
    }

    @Test func `denials of most users are reported for one app`() throws {
        let search = try Self.search(answers: [Self.answers(.mostDenied, app: "shop", "wrong_mac")])
        #expect(search.closing("shop").nearlyAllDenied(isAllowed: false)?.outcome == .problem)
        #expect(search.closing("bank").nearlyAllDenied(isAllowed: false) == nil)
    }

    @Test(arguments: Denial.allCases.map(\.rawValue)) func `each reason of denials has a remedy`(_ reason: String) throws {
        let problem = try #require(try Self.search(answers: [Self.answers(.mostDenied, app: "shop", reason)]).problems.first)
        #expect(problem.kind == .nearlyAllDenied)
        #expect(problem.text.english.hasSuffix("20 of 21 authorizations within 10 minutes were denied, 75 % of them as \(reason)."))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    @Test(arguments: [
        (now - 10, "Add a key with deskgate secret rotate"),
        (now + 10, "Have the backend mint with an active key (deskgate status names it). Have the app fetch a new key"),
    ])
    func `the remedy for a retired key first activates another one`(_ end: UnixSeconds, _ remedy: String) throws {
        let search = try Self.search(apps: Self.ending(end), answers: [Self.answers(.mostDenied, app: "shop", "key_retired")])
        let problem = try #require(search.problems.first { $0.kind == .nearlyAllDenied })
        #expect(problem.remedy.english.hasPrefix(remedy))
        #expect(problem.remedy.isTranslated)
    }

    @Test(
        arguments: [
            (2, "The key id 1 is revoked: have the backend mint with key 2. If its revocation was removed"),
            (nil, "The key id 1 is revoked: add a key with deskgate secret rotate and have the backend mint with it. "),
        ] as [(UInt32?, String)])
    func `the remedy for a revoked key first adds another one to mint`(_ other: UInt32?, _ remedy: String) throws {
        let revoked = RevokedKey(app: "shop", keyID: 1, isMinting: false, other: other)
        let search = try Self.search(answers: [Self.answers(.mostDenied, app: "shop", "revoked")], revokedKeys: [revoked])
        #expect(search.problems.map(\.kind) == [.nearlyAllDenied])
        #expect(search.problems.first?.remedy.english.hasPrefix(remedy) == true)
        #expect(search.problems.first?.remedy.isTranslated == true)
    }

    @Test(arguments: [
        (RevokedKey(app: "shop", keyID: 1, isMinting: false, other: 2), [Problem.Severity.warning]),
        // Deskgate itself mints with it.
        (RevokedKey(app: "shop", keyID: 1, isMinting: true, other: nil), [.problem]),
        (RevokedKey(app: "bank", keyID: 1, isMinting: false, other: 2), []),
    ])
    func `a few denials because of a revoked key are a warning`(_ key: RevokedKey, _ severities: [Problem.Severity]) throws {
        let search = try Self.search(answers: [Self.answers(.revoked, app: "shop", "revoked", isClosed: false)], revokedKeys: [key])
        #expect(search.problems.map(\.severity) == severities)
        #expect(search.problems.allSatisfy { $0.kind == .appKeyEnds })
        #expect(search.problems.allSatisfy { $0.text.isTranslated })
    }

    @Test(arguments: UndecidedReason.allCases.map(\.rawValue)) func `each reason of undecided requests has a remedy`(_ reason: String)
        throws
    {
        let search = try Self.search(answers: [Self.answers(.undecided, app: "shop", reason)])
        let problem = try #require(search.problems.first)
        #expect(problem.text.english.hasSuffix("15 of them as \(reason)."))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    @Test(
        arguments: ValidationError.Problem.allCases.map { ($0.rawValue, "a field \($0.complaint)") }
            + ["invalid_json", "not_an_object", "invalid_form", "bad_field"].map { ($0, "the body is not as documented") })
    func `each reason of malformed requests has a cause and a remedy`(_ reason: String, _ cause: String) throws {
        let problem = try #require(try Self.search(answers: [Self.answers(.malformed, reason)]).problems.first)
        #expect(problem.kind == .authorizationsMalformed)
        let text = "20 authorizations within 10 minutes were malformed and were answered 400, 15 of them because \(cause) (\(reason))."
        #expect(problem.text.english == text)
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    @Test(arguments: [
        (CallerRefusal.network, "listen.allow does not name their network", "listen.allow"),
        (.forwarded, "the proxy of listen.trusted_proxies did not report one client address", "remove the one of the two"),
        (.certificate, "they showed no certificate of listen.tls.client_authorities", "listen.tls.client_authorities"),
        (.header, "they did not send listen.shared_header with one of its secrets", "listen.shared_header"),
    ])
    func `each reason of rejected callers has a cause and a key`(_ refusal: CallerRefusal, cause: String, key: String) throws {
        let search = try Self.search(answers: [Self.answers(.callersRefused, refusal.rawValue)])
        let problem = try #require(search.problems.first)
        #expect(problem.remedy.english.contains(key))
        let effect = refusal == .forwarded ? "They were answered 503." : "The help desk takes that for a denial of every user."
        let text = "20 calls within 10 minutes were refused, 15 of them because \(cause) (\(refusal.rawValue)). \(effect)"
        #expect(problem.text.english == text)
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    @Test(arguments: WebhookRefusal.allCases) func `each reason of rejected webhooks has a remedy`(_ refusal: WebhookRefusal) throws {
        let search = try Self.search(apps: Self.sendbird, answers: [Self.answers(.webhooksRefused, app: "APP", refusal.rawValue)])
        let problem = try #require(search.problems.first)
        #expect(
            problem.text.english.hasPrefix("20 of 21 webhooks of APP within 10 minutes were refused, 15 of them as \(refusal.rawValue):"))
        let isProven = [.app, .anonymous, .malformed].contains(refusal)
        #expect(problem.text.english.hasSuffix(" Anybody can send such webhooks.") != isProven)
        #expect(problem.remedy.english.lowercased().hasPrefix(refusal.remedy(of: "APP").english.lowercased()))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    /// Such an app has no webhook address.
    @Test func `the remedy for webhooks of an unconfigured app suggests no other address`() throws {
        let search = try Self.search(apps: Self.sendbird, answers: [Self.answers(.webhooksRefused, "app")])
        let problem = try #require(search.problems.first)
        #expect(problem.remedy.english.hasPrefix("Compare the app_id that the help desk shows with apps[].app_id: "))
        #expect(problem.remedy.isTranslated)
    }

    @Test(arguments: [(true, Problem.Severity.problem), (false, .warning)])
    func `problems that anyone can cause are warnings while users are allowed`(_ isClosed: Bool, _ severity: Problem.Severity) throws {
        let search = try Self.search(answers: [
            Self.answers(.unknownApp, "unknown_app", isClosed: isClosed), Self.answers(.callersRefused, "header", isClosed: isClosed),
            Self.answers(.malformed, "missing", isClosed: isClosed),
        ])
        #expect(search.problems.map(\.severity) == [severity, severity, severity])
    }

    @Test func `a removed app keeps no user out`() throws {
        let search = try Self.search(
            answers: [Self.answers(.mostDenied, app: "former", "expired"), Self.answers(.unknownApp, "unknown_app")], nearestApp: "former")
        #expect(search.problems.map(\.kind) == [.unknownApp])
        #expect(search.problems.first?.text.english.contains("former") == false)
    }
}
