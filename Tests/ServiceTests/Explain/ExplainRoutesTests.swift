import Core
import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Service

/// `GET /v1/explain`
@Suite struct ExplainRoutesTests {
    private let fixture: AdminDeliverFixture

    init() throws {
        fixture = try AdminDeliverFixture()
    }

    private struct Answer {
        let outcome, finding: String
        let remedy: JSONValue?
        let steps: [JSONObject]

        var words: [String] { steps.compactMap { if case .string(let word)? = $0["step"] { word } else { nil } } }
    }

    private func explain(_ query: String) throws -> Answer {
        let response = fixture.send(.get, "/v1/explain?\(query)")
        #expect(response.status == 200, "\(response.text)")
        let object = try response.object()
        guard case .string(let outcome)? = object["outcome"], case .string(let finding)? = object["finding"],
            case .array(let values)? = object["steps"]
        else { throw SocketClient.Failure.closed }
        let steps = values.compactMap { if case .object(let step) = $0 { step } else { nil } }
        return Answer(outcome: outcome, finding: finding, remedy: object["remedy"], steps: steps)
    }

    @Test func `judges a key as authorization does`() throws {
        let key = try TestKey().text()
        #expect(try explain("user_id=user-1&security_key=\(key)").outcome == "ok")
        #expect(try explain("app_id=shop&user_id=user-2&security_key=\(key)").finding.contains("403 (wrong_mac)"))
        #expect(try explain("app_id=shap&user_id=user-1&security_key=\(key)").remedy?.text?.contains("did you mean \"shop\"? If") == true)
        #expect(try explain("user_id=user-1&security_key=dgk1.x").finding.contains("400"))
        let expired = try TestKey(issuedAt: TestTime.now - 500, expiresAt: TestTime.now - 100).text()
        #expect(try explain("user_id=user-1&security_key=\(expired)").finding.contains("403 (expired)"))
        let unknown = try TestKey(keyID: 9).text()
        let answer = try explain("user_id=user-1&security_key=\(unknown)")
        #expect(answer.finding.contains("key id 9, and the app has only the key ids 1, 2"))
        #expect(answer.words == ["key", "app", "key_id"])
        #expect(try explain("security_key=\(key)").outcome == "note")
        #expect(try explain("security_key=\(unknown)").finding.contains("denied (unknown_key)"))
    }

    @Test(
        arguments: [
            (#""user_id":"user-1","issued_before":1773130513"#, "All keys of this user that were issued before"),
            (#""key_id":1"#, "All keys made with the key id 1"),
            (#""issued_before":1773130513"#, "All keys of the app that were issued before"),
        ])
    func `names the revocation`(fields: String, text: String) throws {
        let key = try TestKey().text()
        let added = fixture.send(.post, "/v1/revocations", body: #"{"app_id":"shop","reason":"leaked",\#(fields)}"#)
        #expect(added.status == 201)
        let answer = try explain("user_id=user-1&security_key=\(key)")
        #expect(answer.outcome == "problem" && answer.finding.contains("403 (revoked): \(text)"), "\(answer.finding)")
        #expect(answer.finding.contains("with the reason \"leaked\""))
        #expect(answer.finding.contains("admin.token"))
        let id = try #require(try added.object()["id"]?.text)
        #expect(answer.remedy?.text?.contains("deskgate revocations remove \(id)") == true)
        #expect(answer.steps.last?["references"] == ["revocation_id": .string(id)])
    }

    @Test func `a revocation up to a later moment keeps the user out`() throws {
        try fixture.store.revoke(.sample(1, appID: "shop", .user("user-1"), issuedBefore: TestTime.now + 9000))
        let answer = try explain("user_id=user-1")
        #expect(answer.outcome == "problem")
        #expect(answer.finding.hasPrefix("This user is denied with any key until "), "\(answer.finding)")
        #expect(answer.remedy?.text?.contains("also those that are minted now") == true)
        let shown = try fixture.send(.get, "/v1/users?app_id=shop&user_id=user-1").object()
        #expect(shown["may_chat"] == false)
    }

    @Test func `names the revocation of one key`() throws {
        let key = try TestKey().text()
        #expect(fixture.send(.post, "/v1/revocations", body: #"{"app_id":"shop","security_key":"\#(key)"}"#).status == 201)
        #expect(try explain("user_id=user-1&security_key=\(key)").finding.contains("This one key was revoked"))
        #expect(try explain("security_key=\(key)").finding.contains("denied (revoked)"))
    }

    /// Nothing will start when it is due.
    @Test func `a delivery that is not due yet tells what holds its notifier back`() throws {
        let time = AdminDeliverFixture.time
        try AdminDeliverFixture.tryOnce(
            fixture.store, number: 3, attempt: 1, at: time, next: .retry(at: time + 10_000), reason: "status_503")
        let answer = try explain("delivery_id=\(AdminDeliverFixture.id(3))")
        #expect(answer.outcome == "problem")
        #expect(answer.finding.hasPrefix("It waits for sink-3: notifier not configured. The last of 1 attempt failed:"))
    }

    @Test func `reports how a person stands`() throws {
        let open = try explain("user_id=user-1")
        #expect(open.words.prefix(5) == ["app", "revocations", "authorization", "devices", "limits"])
        #expect(open.words.contains("delivery"))
        #expect(open.words.last == "search")
        // The newest delivery that the fixture has for them waits for a notifier that is not configured.
        #expect(open.outcome == "problem")
        #expect(open.finding.contains("Nothing keeps this user out"))
        let reference = AdminDeliverFixture.userReference(app: "shop", user: "user-1", fixture.configuration)
        #expect(open.steps.last?["references"] == ["user_ref": .string(reference)])
        #expect(fixture.send(.post, "/v1/users/block", body: #"{"app_id":"shop","user_id":"user-1"}"#).status == 200)
        let blocked = try explain("user_id=user-1")
        #expect(blocked.finding.hasPrefix("This user is denied with any key: blocked at 2026-03-10T08:15:12.000Z by admin.token"))
        #expect(blocked.remedy?.text == "To let the user in again: deskgate users unblock --app shop --user user-1.")
        let unknown = try explain("user_id=nobody-yet")
        #expect(unknown.outcome == "ok")
        let limits = unknown.steps.first { $0["step"] == "limits" }?["text"]?.text
        #expect(limits?.contains(" for one device. This one has used 0 of 1 up. A person may have ") == true, "\(limits ?? "")")
    }

    @Test func `reports a delivery`() throws {
        let delivered = try explain("delivery_id=\(AdminDeliverFixture.id(1))")
        #expect(delivered.outcome == "ok")
        #expect(delivered.words == ["webhook", "attempt", "delivery"])
        let dead = try explain("delivery_id=\(AdminDeliverFixture.id(2))")
        #expect(dead.outcome == "problem")
        #expect(dead.words == ["webhook", "attempt", "attempt", "delivery"])
        #expect(dead.finding == "sink-2 gave it up after 2 attempts: the receiver has not taken it (status_404).")
        #expect(dead.steps[1]["at"] == "2026-03-10T08:15:12.000Z")
        let waiting = try explain("delivery_id=\(AdminDeliverFixture.id(3))")
        #expect(waiting.finding == "It waits for sink-3: notifier not configured.")
        #expect(waiting.remedy?.text?.contains("deskgate deliveries purge --state pending --notifier sink-3") == true)
        let expired = try explain("delivery_id=\(AdminDeliverFixture.id(4))")
        #expect(expired.finding.contains("there was no time left for another attempt"))
        let unknown = try explain("delivery_id=\(AdminDeliverFixture.id(9))")
        #expect(unknown.outcome == "problem")
        #expect(unknown.finding == "No delivery with this id is stored.")
    }

    @Test func `reports a comment`() throws {
        let dead = try explain("comment_id=2")
        #expect(dead.outcome == "problem")
        #expect(dead.finding.hasPrefix("Comment 2 has not arrived: sink-2 gave it up"))
        #expect(dead.words == ["webhook", "attempt", "attempt", "delivery"])
        #expect(try explain("app_id=shop&comment_id=1").outcome == "ok")
        let unknown = try explain("comment_id=99")
        #expect(unknown.finding == "The app takes no webhooks, so none of its comments is known.")
        #expect(unknown.words == ["webhook"])
    }

    /// The comment came before its person had a device.
    @Test(arguments: ["comment_id=5", "user_id=user-1", "delivery_id=\(AdminDeliverFixture.id(5))"])
    func `a delivery without a target needs no mending once a device is registered`(_ query: String) throws {
        try AdminDeliverFixture.accept(fixture.store, 5, notifier: "log", requiresDevice: true)
        func remedy() throws -> String {
            let steps = try explain(query).steps.filter { $0["step"] == "delivery" }
            return steps.first?["remedy"]?.text ?? ""
        }
        #expect(try remedy().hasPrefix("Have the person open the app"))
        try AdminDeviceRoutesTests.register(fixture.store, user: "user-1", device: "device")
        #expect(try remedy().hasPrefix("No repair is needed: a notifier serves the device registered now."))
    }

    @Test func `reports a device`() throws {
        let unknown = try explain("device_id=device&user_id=user-1")
        #expect(unknown.outcome == "problem")
        #expect(unknown.finding == "No such device is registered, so it is not notified.")
        #expect(unknown.words == ["device", "device", "limits"])
        #expect(try explain("device_id=device").outcome == "problem")
        let limits = unknown.steps.last?["text"]?.text
        #expect(limits?.hasSuffix(" Of this user 0 of 1 are used up. Of this device 0 of 5 are used up.") == true, "\(limits ?? "")")
    }

    @Test(arguments: ["forget", "block"]) func `a user who is kept out is not notified to register a device`(_ action: String) throws {
        #expect(try explain("user_id=user-7").steps.contains { $0["remedy"]?.text?.contains("open the app") == true })
        #expect(try explain("device_id=device&user_id=user-7").remedy?.text?.contains("open the app") == true)
        #expect(fixture.send(.post, "/v1/users/\(action)", body: #"{"app_id":"shop","user_id":"user-7"}"#).status == 200)
        let user = try explain("user_id=user-7")
        #expect(!user.steps.contains { $0["remedy"]?.text?.contains("open the app") == true })
        let device = try explain("device_id=device&user_id=user-7")
        #expect(device.finding.hasPrefix("No such device is registered, so it is not notified. This user "), "\(device.finding)")
        #expect(device.remedy == user.remedy)
        #expect(!device.steps.contains { $0["remedy"]?.text?.contains("open the app") == true })
    }

    @Test(
        arguments: [
            "", "?user_id=", "?security_key=k&comment_id=1", "?comment_id=1&user_id=u", "?delivery_id=x", "?delivery_id=1&user_id=u",
            "?device_id=", "?comment_id=", "?app_id=nobody&user_id=u", "?app_id=nobody&comment_id=1", "?user=u", "?app_id=shop",
        ])
    func refuses(query: String) {
        let response = fixture.send(.get, "/v1/explain\(query)")
        #expect(response.status == 400, "\(response.text)")
    }

    /// Neither the answer nor the log has the key, and a question is no change.
    @Test func `an explanation contains no key`() throws {
        let key = try TestKey().text()
        for query in [
            "user_id=user-1&security_key=\(key)", "user_id=other&security_key=\(key)", "security_key=\(key)", "security_key=\(key)x",
        ] {
            let response = fixture.send(.get, "/v1/explain?\(query)")
            #expect(response.status == 200)
            #expect(!response.text.contains(key.dropFirst(5)))
        }
        #expect(!(try fixture.log.lines().contains { $0.contains("dgk1.") || $0.contains("user-1") || $0.contains(" audit ") }))
    }

    @Test func `an action is the request that it sends`() throws {
        let actions = [
            try ExplainAction(appID: "a b", userID: "u&v", securityKey: "dgk1.x"), try ExplainAction(appID: nil, userID: "u"),
            try ExplainAction(appID: nil, userID: nil, commentID: "007"), try ExplainAction(appID: "a", userID: "u", deviceID: "d"),
            try ExplainAction(appID: nil, userID: nil, deliveryID: AdminDeliverFixture.id(1).description),
        ]
        #expect(
            actions.map(\.request.target) == [
                "/v1/explain?app_id=a%20b&user_id=u%26v&security_key=dgk1.x", "/v1/explain?user_id=u", "/v1/explain?comment_id=007",
                "/v1/explain?app_id=a&user_id=u&device_id=d", "/v1/explain?delivery_id=\(AdminDeliverFixture.id(1))",
            ])
    }
}
