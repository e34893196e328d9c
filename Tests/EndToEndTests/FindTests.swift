import JSON
import TestSupport
import Testing

@testable import DeskgateCLI

/// `deskgate find` on a running service and on its store.
@Suite final class FindTests {
    private let sink: ScriptedServer

    init() throws {
        sink = try ScriptedServer(.everyRequest(.respond(200)))
    }

    deinit {
        sink.stop()
    }

    @Test func `reports all records of an id`() throws {
        let site = try WebhookSite(sink)
        let server = try site.start()
        let configuration = ["--config", site.workspace.configuration]
        let nobody = try Deskgate.run(["find", "somebody"] + configuration)
        #expect(nobody.code == 1)
        #expect(nobody.output.hasPrefix("Nothing has this id. "))
        #expect(nobody.output.contains("deskgate explain --app APP --comment ID"))

        #expect(try WebhookSite.post(1, user: "somebody", SocketClient(server.publicAddress)) == "accepted")
        #expect(try Deskgate.run(["users", "block", "--app", Workspace.app, "--user", "somebody"] + configuration).code == 0)
        let table = "KIND  APP    USER      FOUND_IN\nuser  app-1  somebody  block, delivery\n"
        let found = try Deskgate.run(["find", "somebody"] + configuration)
        #expect(found.code == 0)
        #expect(found.output == table)
        let object = try jsonObject(Deskgate.run(["find", "somebody", "--json"] + configuration).output)
        #expect(object["found"] == [["kind": "user", "app_id": "app-1", "user_id": "somebody", "found_in": ["block", "delivery"]]])

        #expect(try server.stop() == .exit(0))
        #expect(try Deskgate.run(["find", "somebody"] + configuration).output == table)
    }

    @Test func `rejects a security key`() throws {
        let result = try Deskgate.run(["find", "dgk1.x"])
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: ID is a security key; ask about one with: deskgate explain --key -\n"))
    }

    @Test func `an id with a leading hyphen follows two hyphens`() throws {
        #expect(try Arguments(["--", "-5"], for: FindCommand.command).operand == "-5")
        #expect(try Arguments(["--", "--help"], for: FindCommand.command).line == "deskgate find -- --help")
        let result = try Deskgate.run("find", "-5")
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: unknown option: -5; ID that begins with - comes after --\n"), "\(result.errors)")
    }
}
