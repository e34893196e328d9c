import Core
import HTTPServer
import HelpDesk
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// The files of the operators' page, and the addresses at which they are served.
@Suite struct PageRoutesTests {
    private static let files = [
        "address.js", "api.js", "apps.js", "chart.js", "clock.js", "dom.js", "format.js", "icon.svg", "index.html", "main.js", "metrics.js",
        "page.css",
        "problems.js", "remedies.js", "session-secret.js", "timeline.js", "ui.js", "view-bots.js", "view-configuration.js", "view-dead.js",
        "view-find.js",
        "view-json.js",
        "view-keys.js",
        "view-notifiers.js",
        "view-now.js",
        "view-people.js", "view-sessions.js", "view-store.js", "view-tickets.js", "words-en.js", "words-ru.js", "words.js",
    ]

    @Test func `has one field for signing in and one for searching`() throws {
        let response = try PageFixture().send(.get, "/")
        #expect(response.status == 200)
        #expect(response.headers["content-type"] == "text/html; charset=utf-8")
        #expect(response.text.ranges(of: #"type="password""#).count == 1)
        #expect(response.text.ranges(of: #"type="search""#).count == 1)
    }

    @Test(arguments: files) func `each file of the page is served with its headers`(_ file: String) throws {
        let fixture = try PageFixture()
        let response = fixture.send(.get, "/page/\(file)")
        #expect(response.status == 200)
        let policy = try #require(response.headers["content-security-policy"])
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self'; "))
        #expect(!policy.contains("unsafe"))
        #expect(policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("require-trusted-types-for 'script'"))
        #expect(response.headers["x-content-type-options"] == "nosniff")
        #expect(response.headers["referrer-policy"] == "no-referrer")
        #expect(response.headers["cache-control"] == "no-cache")
        let tag = try #require(response.headers["etag"])
        let again = fixture.send(.get, "/page/\(file)", headers: ["If-None-Match": tag])
        #expect(again.status == 304)
        #expect(again.body.isEmpty)
        #expect(again.headers["etag"] == tag)
        #expect(fixture.send(.get, "/page/\(file)", headers: ["If-None-Match": "\"other\""]).status == 200)
    }

    /// No text is rendered as markup, and nothing is loaded from elsewhere.
    @Test(arguments: files) func `contains no code that could run a text`(_ file: String) throws {
        let text = try PageFixture().send(.get, "/page/\(file)").text
        for word in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", "javascript:", " style=\"",
            " onclick=\"",
        ] {
            #expect(!text.contains(word), "\(word)")
        }
        let elsewhere = text.split(separator: "\"").dropFirst().filter {
            $0.hasPrefix("http://") || $0.hasPrefix("https://") || $0.hasPrefix("//")
        }
        #expect(elsewhere.allSatisfy { $0 == "http://www.w3.org/2000/svg" })
    }

    /// Every name from the service has a text on the page, and every problem a place.
    @Test(arguments: ["words-en.js", "words-ru.js"]) func `has a text for each name from the service`(_ file: String) throws {
        let fixture = try PageFixture()
        let words = fixture.send(.get, "/page/\(file)").text
        let keys =
            Denial.allCases.map { "denial.\($0.rawValue)" } + Explanation.Subject.allCases.map { "step.\($0.rawValue)" }
            + Explanation.Outcome.allCases.map { "outcome.\($0.rawValue)" } + Problem.Severity.allCases.map { "problems.\($0.rawValue)" }
            + Delivery.State.allCases.map { "delivery.\($0.rawValue)" } + UndecidedReason.allCases.map { "denial.\($0.rawValue)" }
            + ValidationError.Problem.allCases.map { "denial.\($0.rawValue)" } + WebhookResult.allCases.map { "webhook.\($0.rawValue)" }
            + [BodyError.invalidJSONReason, BodyError.notAnObjectReason, BodyError.invalidFormReason].map { "denial.\($0)" }
        for key in keys { #expect(words.contains("\"\(key)\": "), "\(key)") }
        let places = fixture.send(.get, "/page/problems.js").text
        // The service delivers the page, so the page never shows that it is down.
        for kind in Problem.Kind.allCases where kind != .serviceDown { #expect(places.contains("\(kind.rawValue): ("), "\(kind)") }
    }

    /// The service has these texts only in English.
    @Test func `errors of the store or of a retry have Russian texts`() throws {
        let words = try PageFixture().send(.get, "/page/words-ru.js").text
        let kinds: [StoreError.Kind] = [.queueFull, .diskFull, .corrupt, .unavailable, .notOpen, .inDoubt, .tooLong, .closed]
        let reasons = kinds.map(\.rawValue) + RetryObstacle.allCases.map(\.rawValue)
        for reason in reasons { #expect(words.contains("\"refusal.\(reason)\": "), "\(reason)") }
    }

    @Test func `has no other files`() throws {
        let fixture = try PageFixture()
        #expect(fixture.send(.get, "/page/other.js").status == 404)
        #expect(fixture.send(.get, "/page/..%2Findex.html").status == 404)
        #expect(fixture.send(.post, "/").status == 405)
    }

    private static let pageRequests: [(HTTPServer.Method, String)] = [
        (.get, "/"), (.get, "/page/main.js"), (.get, "/session"), (.post, "/session"), (.delete, "/session"),
    ]

    @Test(arguments: pageRequests) func `can be switched off`(_ method: HTTPServer.Method, _ path: String) throws {
        let fixture = try PageFixture()
        _ = fixture.signIn(.read)
        try fixture.admin.reload(members: ServiceFixture.roleTokens, others: #""operators":{"page":false}"#)
        #expect(fixture.send(method, path).status == 404)
        // Its sessions are no longer valid, but tokens are.
        #expect(fixture.send(.get, "/v1/deliveries").status == 401)
        #expect(fixture.admin.send(.get, "/v1/deliveries").status == 200)
    }

    /// On an unencrypted connection to another machine the page shows the remedy, and the API still works.
    @Test(arguments: pageRequests) func `needs TLS on other machines`(_ method: HTTPServer.Method, _ path: String) throws {
        let fixture = try PageFixture(members: #""host":"0.0.0.0","# + ServiceFixture.roleTokens)
        let response = fixture.send(method, path)
        #expect(response.status == 403)
        #expect(response.text.contains("page_needs_tls"))
        #expect(response.text.contains("admin.tls"))
        #expect(fixture.admin.send(.get, "/v1/deliveries").status == 200)
    }

    /// A foreign name that resolves to this machine (DNS rebinding) gets neither the page nor a session.
    @Test(arguments: pageRequests) func `is served only under its own name`(_ method: HTTPServer.Method, _ path: String) throws {
        let router = try ServiceFixture().graph().adminRouter
        #expect(InProcessClient(router).send(method, path, headers: ["Host": "evil.example"]).status == 421)
        #expect(InProcessClient(router).send(.get, "/", headers: ["Host": "localhost:9090"]).status == 200)
    }
}
