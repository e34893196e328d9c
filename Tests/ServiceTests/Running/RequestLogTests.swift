import Core
import HTTPServer
import Observability
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct RequestLogTests {
    private func lines(
        _ body: [UInt8], requestID: String? = "abc", level: LogLevel = .debug, type: [String: String] = AuthorizeCases.jsonType
    ) throws -> [String] {
        let fixture = try ServiceFixture(members: #""security_keys":{"longest_life_seconds":7776000}"#, logLevel: level)
        let headers = requestID.map { type.merging(["x-request-id": $0]) { $1 } } ?? type
        _ = InProcessClient(try fixture.graph().publicRouter).send(.post, "/pyrus/authorize", headers: headers, body: body)
        return try fixture.log.lines()
    }

    private func body(_ key: TestKey) throws -> [UInt8] {
        try AuthorizeCases.json(["security_key": "\"\(key.text())\""])
    }

    /// The digests of the app and the person in the log, also for an app that is not configured.
    private func references(app: String = "shop") throws -> (app: String, user: String) {
        let authorizer = try ServiceFixture().configuration.makeAuthorizer()
        let (app, user) = (Array(app.utf8), Array("user-1".utf8))
        return (
            authorizer.appReference(appID: app.span) ?? "", authorizer.userReference(appID: app.span, userID: user.span) ?? ""
        )
    }

    @Test func `contains the reason`() throws {
        let user = try references().user
        #expect(
            try lines(body(TestKey())) == [
                "DEBUG authorize result=authorized reason=valid app=shop key_id=1 user_ref=\(user) request_id=abc"
            ])
        #expect(
            try lines(body(TestKey(secret: 9))) == [
                "INFO  authorize result=denied reason=wrong_mac app=shop key_id=1 user_ref=\(user) request_id=abc"
            ])
        #expect(
            try lines(body(TestKey(keyID: 9))) == [
                "INFO  authorize result=denied reason=unknown_key app=shop key_id=9 user_ref=\(user) request_id=abc"
            ])
        let (app, stranger) = try references(app: "bank")
        #expect(stranger != user)
        #expect(
            try lines(AuthorizeCases.json(["app_id": #""bank""#])) == [
                "INFO  authorize result=denied reason=unknown_app app_ref=\(app) key_id=1 user_ref=\(stranger) request_id=abc"
            ])
        #expect(
            try lines(AuthorizeCases.json(["user_id": nil])) == [
                "INFO  authorize result=malformed reason=missing field=user_id request_id=abc"
            ])
        #expect(
            try lines(AuthorizeCases.json(["user_id": #""""#])) == [
                "INFO  authorize result=malformed reason=empty field=user_id request_id=abc"
            ])
        #expect(try lines([]) == ["INFO  authorize result=malformed reason=invalid_json request_id=abc"])
        #expect(
            try lines(Array("app_id=%".utf8), type: AuthorizeCases.formType) == [
                "INFO  authorize result=malformed reason=invalid_form request_id=abc"
            ])
    }

    @Test func `is empty above its level`() throws {
        #expect(try lines(body(TestKey()), level: .info) == [])
        #expect(try lines(body(TestKey(secret: 9)), level: .warning) == [])
        #expect(try lines([], level: .warning) == [])
    }

    @Test(arguments: ["a", "A-Z_0.9", String(repeating: "x", count: 64)])
    func `accepts a plain request ID`(_ id: String) throws {
        #expect(try lines([], requestID: id) == ["INFO  authorize result=malformed reason=invalid_json request_id=\(id)"])
    }

    @Test func `contains no text of a client`() throws {
        let fixture = try ServiceFixture(members: #""security_keys":{"longest_life_seconds":7776000}"#, logLevel: .debug)
        let graph = try fixture.graph()
        let marker = "MARKER"
        let client = InProcessClient(graph.publicRouter)
        for exchange in try AuthorizeCases.all() { _ = exchange.send(to: client) }
        for field in AuthorizeCases.expectations.keys {
            for value in ["\"\(marker)\"", "\"\(marker)\\n\"", "[\"\(marker)\"]", "\"\(marker)", marker] {
                _ = client.send(.post, "/pyrus/authorize", body: try AuthorizeCases.json([field: value], extra: ",\"\(marker)\":1"))
            }
            _ = client.send(.post, "/pyrus/authorize", body: try AuthorizeCases.form([field: "\(marker)%"]))
        }
        let operatorClient = InProcessClient(graph.adminRouter)
        for exchange in AdminCases.all() { _ = exchange.send(to: operatorClient) }
        let minted = operatorClient.send(
            .post, "/v1/keys", headers: AdminCases.authorization, body: Array(#"{"app_id":"shop","user_id":"\#(marker)"}"#.utf8))
        #expect(minted.status == 201)
        let text = try fixture.log.text()
        #expect(text.contains("result=denied"))
        for foreign in [marker, "dgk1.", "user-1", "user-2", "bank", ServiceFixture.token] + (1...3).map(TestSecret.text) {
            #expect(!text.contains(foreign))
        }
    }
}
