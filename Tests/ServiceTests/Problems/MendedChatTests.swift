import JSON
import TestSupport
import Testing

@testable import Configuration
@testable import Service

/// A closed chat whose cause a reload has mended.
@Suite struct MendedChatTests {
    private static func reload(_ service: RunningService, _ fixture: ServiceFixture, _ json: String) throws {
        try fixture.directory.scratch.write("config.json", json)
        #expect(service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: fixture.directory.file) })
    }

    @Test func `a cause that was mended ends with the reload`() throws {
        let wrong = ServiceFixture.json(app: "shoq")
        let fixture = try ServiceFixture(json: wrong)
        try fixture.withService { service throws in
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 5, status: 403)
            #expect(try ClosedChatTests.kinds(service) == ["unknown_app"])
            try Self.reload(service, fixture, wrong)
            #expect(try ClosedChatTests.kinds(service) == ["unknown_app"], "nothing has changed")
            try Self.reload(service, fixture, ServiceFixture.json())
            #expect(try ClosedChatTests.kinds(service) == [])
            try ClosedChatTests.ask(service, AuthorizeCases.json(["app_id": "\"elsewhere\""]), times: 5, status: 403)
            let problem = try #require(try ClosedChatTests.problems(service).first)
            #expect(problem["text"]?.text?.hasPrefix("5 authorizations within 10 minutes") == true)
            #expect(problem["text"]?.text?.contains("shoq") == false, "no app has this id now")
        }
    }

    @Test func `a list of networks that was mended ends with the reload`() throws {
        func json(_ network: String) -> String { ServiceFixture.json(listen: #""port":0,"allow":["\#(network)"]"#, members: #""log":{}"#) }
        let fixture = try ServiceFixture(json: json("192.0.2.0/24"))
        try fixture.withService { service throws in
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 5, status: 403)
            #expect(try ClosedChatTests.kinds(service) == ["callers_refused"])
            try Self.reload(service, fixture, json("127.0.0.0/8"))
            #expect(try ClosedChatTests.kinds(service) == [])
            try Self.reload(service, fixture, json("192.0.2.0/24"))
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 5, status: 403)
            try Self.reload(service, fixture, json("192.0.2.0/24"))
            #expect(try ClosedChatTests.kinds(service) == ["callers_refused"], "a closed chat is not hidden")
        }
    }
}
