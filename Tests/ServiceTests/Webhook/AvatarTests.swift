import Core
import TestSupport
import Testing

@testable import Configuration
@testable import HelpDesk
@testable import Pyrus
@testable import Sendbird

@Suite struct AvatarTests {
    private static let spelled = [
        ("https://example.com/a.png", "https://example.com/a.png"), ("HTTPS://Example.COM/A?s=1", "https://example.com/A?s=1"),
        ("https://example.com:8443/%D0%96", "https://example.com:8443/%D0%96"), ("https://example.com/a#b", "https://example.com/a"),
        ("https://example.com", "https://example.com/"),
    ]

    @Test(arguments: spelled) func `an HTTPS URL is accepted`(text: String, url: String) {
        #expect(AvatarURL.read(text) == url)
    }

    @Test func `the longest URL has 2048 bytes`() {
        let longest = "https://example.com/" + String(repeating: "a", count: 2028)
        #expect(AvatarURL.read(longest) == longest)
        #expect(AvatarURL.read(longest + "a") == nil)
    }

    @Test func `a URL that exceeds the limit after escaping is dropped`() {
        #expect(AvatarURL.read("https://example.com/" + String(repeating: "Ж", count: 400)) == nil)
    }

    private static let hostile = [
        "", " ", "x", "/a.png", "//example.com/a.png", "http://example.com/a.png", "javascript:alert(1)",
        "JavaScript://example.com/%0Aalert(1)",
        "data:image/png;base64,AAAA", "file:///etc/passwd", "https://", "https:example.com", "ftp://example.com/a.png",
        "https://user@example.com/a.png", "https://user:password@example.com/a.png", "https://example.com/a\nb",
        "https://example.com/a\r\nX: y",
        "https://example.com/a\u{0}b", "https://example.com/\u{7F}", "https://exa\u{202E}mple.com/", "https://example.com:99999/",
        "https://example.com/\"", "https://example.com/<b>", "https://example.com/a\\b", "https://example.com/{id}",
        "https://exa mple.com/",
        "\u{FEFF}https://example.com/", "https://example.com/" + String(repeating: "a", count: 1_000_000),
    ]

    /// By index, because the arguments of tests are printed.
    @Test(arguments: hostile.indices) func `any other text is dropped`(index: Int) {
        #expect(AvatarURL.read(Self.hostile[index]) == nil)
    }

    private static let registries: [(String, String?)] = [
        ("https://pyrus.com/servicedeskapi/v1/SetPushToken", "https://pyrus.com/servicedeskapi/v1/Avatar/17"),
        ("https://desk.example.com:8443/SetPushToken", "https://desk.example.com:8443/Avatar/17"),
        ("http://localhost:81/servicedeskapi/v1/SetPushToken", nil), ("https://pyrus.com/servicedeskapi/v1/SetPushToken?a=b", nil),
        ("https://desk.example.com/x", nil),
    ]

    @Test(arguments: registries) func `pictures have the registry's address`(registry: String, url: String?) {
        #expect(AvatarAddress(registry: registry).flatMap { $0.url(of: 17) } == url)
    }

    @Test(arguments: [Int64.min, -1, 0]) func `an id that is not positive has no picture`(id: Int64) throws {
        let address = try #require(AvatarAddress(registry: "https://pyrus.com/servicedeskapi/v1/SetPushToken"))
        #expect(address.url(of: id) == nil)
    }

    private static let apps = [
        (#""log""#, "https://pyrus.com/servicedeskapi/v1/SetPushToken"),
        (#""log","own""#, "https://desk.example.com/servicedeskapi/v1/SetPushToken"),
        (#""log","proxy""#, "https://proxy.example.com/pyrus"),
    ]

    @Test(arguments: apps) func `an app's relay has the help desk's address`(notifiers: String, address: String) throws {
        let directory = try ConfigurationDirectory()
        let configuration = try directory.configuration(
            """
            {"apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],"notifiers":[\(notifiers)]}],
             "notifiers":{"log":{"type":"log"},"own":{"type":"pyrus","domain":"desk.example.com"},
              "proxy":{"type":"pyrus","url":"https://proxy.example.com/pyrus"},"none":{"type":"pyrus","domain":"none.example.com"}}}
            """)
        #expect(configuration.registryAddress(of: configuration.apps[0]) == address)
    }
}

/// Pictures of the senders of Sendbird's messages.
@Suite struct SenderAvatarTests {
    private static let url = "https://example.com/avatars/anna.png"

    private func avatar(_ profile: String, sender: String = "sendbird_desk_agent_id_1") throws -> String? {
        let body = SendbirdBody.message(sender: sender).replacing(
            #""nickname":"Anna""#, with: #""nickname":"Anna","profile_url":\#(profile)"#)
        return try ChatWebhook(WebhookFields(parsing: Array(body.utf8).span), appID: "APP", bots: [ByteKey("bot")])?.senderAvatar
    }

    @Test(arguments: ["sendbird_desk_agent_id_1", "bot"]) func `support and named bots have pictures`(sender: String) throws {
        #expect(try avatar("\"\(Self.url)\"", sender: sender) == Self.url)
    }

    @Test func `a customer's picture is not shown`() throws {
        #expect(try avatar("\"\(Self.url)\"", sender: "user-1") == nil)
    }

    private static let odd = [
        "null", "7", "[]", "{}", "true", #""""#, #""http://example.com/a.png""#, #""javascript:alert(1)""#, #""https://a:b@example.com/""#,
        #""https://example.com/\u0000""#, #""https://example.com/\r\nX: y""#, #""\ud800""#,
    ]

    @Test(arguments: odd) func `a picture without an HTTPS URL is dropped`(profile: String) throws {
        #expect(try avatar(profile) == nil)
    }

    @Test func `the event has the picture`() throws {
        let fixture = try SendbirdFixture.known()
        let body = SendbirdBody.message().replacing(#""nickname":"Anna""#, with: #""nickname":"Anna","profile_url":"\#(Self.url)""#)
        #expect(try fixture.chat(body).status == 200)
        let data = try #require(try fixture.data(.commentCreated))
        #expect(data.contains(#""author":{"name":"Anna","avatar_id":null,"avatar_url":"\#(Self.url)","avatar_color":null}"#))
    }

    @Test func `a hostile picture loses no message and is not logged`() throws {
        let fixture = try SendbirdFixture.known()
        let body = SendbirdBody.message().replacing(
            #""nickname":"Anna""#, with: #""nickname":"Anna","profile_url":"javascript:MARKER""#)
        #expect(try fixture.chat(body).status == 200)
        #expect(try fixture.events().contains("comment.created user-1 apns pending"))
        let data = try #require(try fixture.data(.commentCreated))
        #expect(!data.contains("MARKER"))
        #expect(!(try fixture.log.text()).contains("MARKER"))
    }
}
