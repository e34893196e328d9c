import JSON
import TestSupport
import Testing

@testable import Configuration
@testable import Service

/// A closed chat whose cause a reload has removed.
@Suite struct MendedChatTests {
    private static func reload(_ service: RunningService, fixture: ServiceFixture, json: String) throws {
        try fixture.directory.scratch.write("config.json", json)
        #expect(service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: fixture.directory.file) })
    }

    @Test func `a removed cause ends the problem with the first good response after the reload`() throws {
        let wrong = ServiceFixture.json(app: "shoq")
        let fixture = try ServiceFixture(json: wrong)
        try fixture.withService { service throws in
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 5, status: 403)
            #expect(try ClosedChatTests.kinds(service) == ["unknown_app"])
            try Self.reload(service, fixture: fixture, json: ServiceFixture.json())
            #expect(try ClosedChatTests.kinds(service) == ["unknown_app"], "nobody has asked yet")
            #expect(try ClosedChatTests.problems(service).first?["text"]?.text?.contains("shoq") == false, "no app has this id now")
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 1, status: 200)
            #expect(try ClosedChatTests.kinds(service) == [])
            try ClosedChatTests.ask(service, AuthorizeCases.json(["app_id": "\"elsewhere\""]), times: 5, status: 403)
            let problem = try #require(try ClosedChatTests.problems(service).first)
            #expect(problem["text"]?.text?.hasPrefix("5 authorizations within 10 minutes") == true)
        }
    }

    @Test func `a corrected list of networks ends the problem with the first good response after the reload`() throws {
        func json(_ network: String) -> String { ServiceFixture.json(listen: #""port":0,"allow":["\#(network)"]"#, members: #""log":{}"#) }
        let fixture = try ServiceFixture(json: json("192.0.2.0/24"))
        try fixture.withService { service throws in
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 5, status: 403)
            try Self.reload(service, fixture: fixture, json: json("127.0.0.0/8"))
            #expect(try ClosedChatTests.kinds(service) == ["callers_refused"])
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 1, status: 200)
            #expect(try ClosedChatTests.kinds(service) == [])
        }
    }

    @Test func `a file named in the configuration is part of it`() throws {
        let fixture = try ServiceFixture()
        func change(_ secret: Int, _ service: RunningService) throws {
            try fixture.directory.scratch.write("secrets/app-1.key", TestSecret.text(secret) + "\n")
            try Self.reload(service, fixture: fixture, json: ServiceFixture.json())
        }
        try fixture.withService { service throws in
            try change(9, service)
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 20, status: 403)
            #expect(try ClosedChatTests.kinds(service) == ["nearly_all_denied"])
            try change(1, service)
            #expect(try ClosedChatTests.kinds(service) == ["nearly_all_denied"])
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 1, status: 200)
            #expect(try ClosedChatTests.kinds(service) == [])
        }
    }

    @Test func `another change does not hide a closed chat`() throws {
        func json(_ level: String) -> String { ServiceFixture.json(members: #""log":{"level":"\#(level)"}"#) }
        let fixture = try ServiceFixture(json: json("error"))
        let wrong = try AuthorizeCases.json(["user_id": "\"somebody\""])
        try fixture.withService { service throws in
            try ClosedChatTests.ask(service, wrong, times: 20, status: 403)
            for level in ["warning", "error"] {
                try Self.reload(service, fixture: fixture, json: json(level))
                #expect(try ClosedChatTests.kinds(service) == ["nearly_all_denied"])
                try ClosedChatTests.ask(service, wrong, times: 1, status: 403)
            }
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 1, status: 200)
            #expect(try ClosedChatTests.kinds(service) == ["nearly_all_denied"])
        }
    }

    @Test func `a reload without changes keeps the problem`() throws {
        let fixture = try ServiceFixture(json: ServiceFixture.json())
        let wrong = try AuthorizeCases.json(["user_id": "\"somebody\""])
        try fixture.withService { service throws in
            try ClosedChatTests.ask(service, wrong, times: 20, status: 403)
            try Self.reload(service, fixture: fixture, json: ServiceFixture.json())
            try ClosedChatTests.ask(service, AuthorizeCases.json(), times: 1, status: 200)
            #expect(try ClosedChatTests.kinds(service) == ["nearly_all_denied"])
        }
    }
}
