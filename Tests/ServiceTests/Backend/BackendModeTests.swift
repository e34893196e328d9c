import HTTPServer
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// An app whose keys only the backend checks.
@Suite struct BackendModeTests {
    @Test(arguments: [true, false]) func `its keys are any text`(hasKeys: Bool) throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(200)), mode: "backend", hasKeys: hasKeys) { (service, backend) throws in
            let keys = ["x", "dgk1.", "their own key", String(repeating: "k", count: 100), try TestKey(secret: 9).text()]
            for key in keys {
                for path in BackendCaller.routes { #expect(try service.ask(path, key: key).status == 200) }
            }
            #expect(backend.requests.count == keys.count)
            #expect(
                try fixture.counts(service, "deskgate_authorize_requests_total") == [
                    #"{app="shop",result="authorized",reason="valid",key_id=""} 5"#
                ])
        }
    }

    @Test func `all other rules apply`() throws {
        let fixture = try BackendFixture()
        let long = String(repeating: "k", count: 101)
        try fixture.withService(.everyRequest(.respond(200)), mode: "backend", hasKeys: false) { (service, backend) throws in
            for path in BackendCaller.routes {
                let tooLong = try service.ask(path, key: long)
                #expect(tooLong.status == 400)
                #expect(
                    tooLong.text
                        == ExchangeCase.error(
                            "malformed", "security_key is too long; expected a string of 1 to 100 UTF-16 code units."))
                #expect(try service.ask(path, key: "").status == 400)
                #expect(try service.ask(path, user: long, key: "k").status == 400)
                #expect(try service.ask(path, app: "nobody", key: try TestKey(app: "nobody").text()).status == 403)
                #expect(try service.ask(path, app: "bank", key: "k").status == 400)
            }
            #expect(backend.requests.isEmpty)
        }
    }

    @Test func `logs identify people without a key`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(403)), mode: "backend", hasKeys: false) { (service, _) throws in
            for user in ["user-1", "user-1", "user-2"] { #expect(try service.ask(user: user, key: "their own key").status == 403) }
        }
        let lines = try fixture.log.lines().filter { $0.contains(" authorize ") }
        #expect(lines.count == 3)
        #expect(lines[0].hasPrefix("INFO  authorize result=denied reason=backend_denied app=shop user_ref="))
        #expect(lines[0] == lines[1])
        #expect(lines[0] != lines[2])
        #expect(lines.allSatisfy { !$0.contains("user-") })
        #expect(lines.allSatisfy { !$0.contains("their own key") })
    }

    @Test func `no key can be minted`() throws {
        let fixture = try BackendFixture()
        try fixture.withService(.everyRequest(.respond(200)), mode: "backend", hasKeys: false) { (service, _) throws in
            let headers = ["Authorization": "Bearer \(ServiceFixture.token)"]
            let body = Array(#"{"app_id":"shop","user_id":"user-1"}"#.utf8)
            let response = try ExchangeCase(name: "mint", path: "/v1/keys", headers: headers, body: body, status: 400, answer: "")
                .send(to: SocketClient(service.adminAddress))
            #expect(response.status == 400)
            #expect(
                response.text
                    == #"{"error":"unknown_app","message":"The app has no key: \"verify\" leaves all decisions to its backend."}"#)
        }
    }

    @Test func `the secret may be rotated`() throws {
        let secrets = #"[{"file":"secrets/backend-5.whsec"},{"file":"secrets/backend-6.whsec"}]"#
        let fixture = try BackendFixture()
        let backend = try ScriptedServer(.everyRequest(.respond(200)))
        defer { backend.stop() }
        let json = fixture.json(backend.url()).replacing(#"{"file":"secrets/backend-5.whsec"}"#, with: secrets)
        try fixture.withService(json) { (service) throws in
            #expect(try service.ask().status == 200)
            #expect(backend.requests.first?.header("webhook-signature")?.split(separator: " ").count == 2)
        }
    }
}
