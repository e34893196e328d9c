import Core
import HTTPServer
import JSON
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration

@Suite struct PageDataTests {
    private let fixture: AdminDeliverFixture

    init() throws {
        fixture = try AdminDeliverFixture()
    }

    @Test func `counts dead deliveries by reason`() throws {
        let answer = try fixture.send(.get, "/v1/deliveries/reasons").object()
        #expect(answer["counted"] == 2)
        #expect(answer["complete"] == true)
        for criterion in ["user_id=user-1", "type=comment.created&reason=status_404", "before=2026-03-10T08:15:11.993Z"] {
            let answer = try fixture.send(.get, "/v1/deliveries/reasons?\(criterion)").object()
            #expect(answer["counted"] == 1, "\(criterion)")
            #expect(answer["complete"] == true, "\(criterion)")
        }
        guard case .array(let groups) = answer["groups"] else { throw SocketClient.Failure.closed }
        #expect(
            groups == [
                [
                    "notifier": "sink-2", "reason": "status_404", "count": 1, "oldest": "2026-03-10T08:15:11.992Z",
                    "newest": "2026-03-10T08:15:11.992Z", "meaning": "The receiver has not taken it.",
                    "remedy": "Check \"url\", and look at the receiver's log.",
                ],
                [
                    "notifier": "sink-4", "reason": "expired", "count": 1, "oldest": "2026-03-10T08:15:11.994Z",
                    "newest": "2026-03-10T08:15:11.994Z",
                    "meaning": "There was no time left for another attempt before the event expired.",
                    "remedy":
                        "Retry it: deskgate deliveries retry --reason expired; deliveries.expire_after_seconds says how long Deskgate tries.",
                ],
            ])
        #expect(try fixture.send(.get, "/v1/deliveries/reasons?notifier=sink-4").object()["counted"] == 1)
        #expect(try fixture.send(.get, "/v1/deliveries/reasons?app_id=other").object()["counted"] == 0)
        #expect(fixture.send(.get, "/v1/deliveries/reasons?lang=ru").text.contains("Получатель не принял."))
        #expect(fixture.send(.get, "/v1/deliveries/reasons?lang=fr").status == 400)
        #expect(fixture.send(.get, "/v1/deliveries/reasons?state=pending").status == 400)
        #expect(fixture.send(.get, "/v1/deliveries/reasons?reason=a&reason=b").status == 400)
    }

    /// A notifier that is not configured is listed while deliveries wait for it.
    @Test func `lists notifiers`() throws {
        guard case .array(let notifiers) = try fixture.send(.get, "/v1/notifiers").object()["notifiers"] else {
            throw SocketClient.Failure.closed
        }
        #expect(notifiers.compactMap { $0["name"] } == ["log", "sink-3"])
        #expect(notifiers[0]["type"] == "log" && notifiers[0]["can_test"] == true && notifiers[0]["pending"] == 0)
        #expect(notifiers[1]["type"] == .null && notifiers[1]["pending"] == 1 && notifiers[1]["can_test"] == false)
        #expect(notifiers[1]["oldest_at"] == "2026-03-10T08:15:11.993Z")
    }

    @Test func `tests a notifier in the same way as a delivery`() throws {
        let response = fixture.send(.post, "/v1/notifiers/test", body: #"{"notifier":"log"}"#)
        guard case .string(let id) = try response.object()["delivery_id"] else { throw SocketClient.Failure.closed }
        let delivery = try fixture.send(.get, "/v1/deliveries/\(id)").object()
        #expect(delivery["type"] == "operator.test")
        #expect(delivery["notifier"] == "log")
        #expect(delivery["state"] == "pending")
        #expect(fixture.wakeUpCount == 1)
        for body in [#"{"notifier":"other"}"#, "{}", #"{"notifier":1}"#] {
            #expect(fixture.send(.post, "/v1/notifiers/test", body: body).status == 400)
        }
    }

    @Test func `shows the configuration without secrets`() throws {
        let directory = try ConfigurationDirectory()
        let secret = "whsec_" + String(repeating: "QUJD", count: 8)
        let configuration = try directory.configuration(
            members:
                #""allow_insecure_secrets":true,"admin":{"token":"short"},"notifiers":{"push":{"type":"http","url":"https://example.com/hidden?x","secret":"\#(secret)"}}"#
        )
        let shown = configuration.shown
        let text = String(decoding: shown.value.serialized(), as: UTF8.self)
        for word in [secret, "hidden", "short"] { #expect(!text.contains(word)) }
        #expect(shown.value["notifiers"]?["push"]?["url"] == "https://example.com/•••")
        #expect(shown.value["admin"]?["token"] == "•••")
        #expect(shown.value["apps"]?.elements[0]["keys"]?.elements[0]["secret"] == ["file": "secrets/app-1.key"])
        #expect(shown.files.first == directory.file)
        #expect(try fixture.send(.get, "/v1/configuration").object().members.map(\.key) == ["configuration", "files", "settings"])
    }

    @Test(arguments: [
        ("https://example.com", "https://example.com"), ("https://example.com/", "https://example.com/"),
        ("https://example.com/a", "https://example.com/•••"), ("https://example.com?a", "https://example.com/•••"),
        ("https://name:word@example.com:8443", "https://example.com:8443/•••"), ("secrets/file", "secrets/file"), ("a//b/c", "a//b/c"),
        ("postgres://name@host/base", "postgres://host/•••"), ("postgres://name:wo/rd@host", "•••"), (TestSecret.text(5), "•••"),
    ]) func masks(_ text: String, _ shown: String) {
        #expect(ShownConfiguration([.string(text)], files: [], hidden: HiddenTexts()).value == [.string(shown)])
    }
}
