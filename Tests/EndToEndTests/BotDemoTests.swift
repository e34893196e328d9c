import Glibc
import JSON
import TestSupport
import Testing

/// `deskgate init --bot-demo`, `deskgate bots demo`
@Suite struct BotDemoTests {
    private let scratch: TemporaryDirectory

    init() throws {
        scratch = try TemporaryDirectory()
    }

    /// Creates the directory and runs the demonstration there.
    private func play(_ options: String..., change: (inout String) -> Void = { _ in }) throws -> ChildProcess {
        // Two listeners and the shop.
        let port = try freePorts(3)
        #expect(try Deskgate.run("init", "--bot-demo", scratch.path("demo"), "--port", "\(port)").code == 0)
        var text = try scratch.read("demo/config.json")
        change(&text)
        try scratch.write("demo/config.json", text)
        return try ChildProcess(Deskgate.path, (["bots", "demo", scratch.path("demo")] + options).map { Array($0.utf8) })
    }

    private func secrets() throws -> [String] {
        try scratch.contents().filter { $0.contains("/secrets/") }.map { String(try scratch.read($0).dropLast()) }
    }

    @Test func `runs all steps and prints no secret`() throws {
        let process = try play()
        let said = try process.output.text()
        #expect(try process.waitForEnd() == .exit(0), "\(said)")
        for text in [
            "get_order_list", "get_order_details", "get_recommendation", "409 confirmation_required", "order 1002 is cancelled",
            "Anything else?  Quick replies: My orders, No", "every order is as it was",
            "Everything happened as expected.", "deskgate bots calls list --config",
        ] {
            #expect(said.contains(text), "\(text)")
        }
        let directory = try #require(scratch.contents().first { $0.hasSuffix("deskgate.log") })
        let log = try scratch.read(directory)
        let all = try secrets()
        #expect(all.count == 5)
        for secret in all + ["dgbt1.", "dgbc1.", "dgk1."] {
            let isReported = said.contains(secret) || log.contains(secret)
            #expect(!isReported)
        }
        #expect(try process.errors.text().isEmpty)
    }

    @Test func `leaves no port and no process`() throws {
        let process = try play("--stay", "--json")
        let reported = try jsonObject(process.output.line(containing: "as_expected").text)
        #expect(reported["as_expected"] == true)
        #expect(reported["surprises"] == [])
        let configuration = try #require(reported.string("configuration"))
        let ports = try Command("grep", "-ohE", #""port": [0-9]+|127\.0\.0\.1:[0-9]+"#, configuration).output
            .split(separator: "\n").compactMap { line in UInt16(line.split { !$0.isNumber }.last ?? "") }
        #expect(Set(ports).count == 3)
        let sockets = try ListeningSockets(on: ports)
        let listed = try Deskgate.run("bots", "calls", "list", "--config", configuration)
        #expect(listed.code == 0)
        #expect(listed.output.contains("cancel_order"))
        process.send(SIGINT)
        #expect(try process.waitForEnd() == .exit(0))
        #expect(sockets.areGone())
    }

    @Test func `reports unexpected results`() throws {
        // A bot whose cancellations need no confirmation differs from the demonstration.
        let process = try play(change: {
            $0 = $0.replacing("\"name\": \"cancel_order\",", with: "\"name\": \"cancel_order\", \"confirm\": \"none\",")
        })
        #expect(try process.waitForEnd() == .exit(1))
        let said = try process.output.text()
        #expect(said.contains("NOT AS EXPECTED: the model cancelled without a confirmation"))
        #expect(said.contains("did not happen as expected."))
    }

    @Test func `init creates files that only the owner can read`() throws {
        let result = try Deskgate.run("init", "--bot-demo", scratch.path("d"))
        #expect(result.code == 0)
        #expect(result.output.contains("deskgate bots demo '\(scratch.path("d"))' --stay"))
        for name in ["secrets/bot-orders.whsec", "secrets/shop-token", "shop.json"] {
            let modes = try Command("stat", "-c", "%a", scratch.path("d/\(name)")).output
            #expect(modes == "600\n", "\(name)")
        }
        for secret in try secrets() {
            let isReported = result.output.contains(secret)
            #expect(!isReported)
        }
        #expect(try Command("sed", "-i", #"s/"port": [0-9]*/"port": 0/"#, scratch.path("d/config.json")).status == 0)
        #expect(try Deskgate.run("check", "--config", scratch.path("d/config.json")).code == 0)
        let again = try Deskgate.run("init", "--bot-demo", scratch.path("d"))
        #expect(again.code == 1)
        #expect(again.errors.contains("exists already; nothing was changed"))
        #expect(try Deskgate.run("init", "--bot-demo", "--port", "65534", scratch.path("e")).code == 2)
        let without = try Deskgate.run("init", "--json", "--bot-demo", scratch.path("f")).json
        #expect(without.string("shop") == "\(scratch.path("f"))/shop.json")
    }

    @Test func `requires the files of init`() throws {
        #expect(try Deskgate.run("init", scratch.path("d"), "--port", "30000").code == 0)
        let result = try Deskgate.run("bots", "demo", scratch.path("d"))
        #expect(result.code == 2)
        #expect(result.errors.contains("deskgate init --bot-demo makes such a directory"))
        #expect(try Deskgate.run("bots", "demo", scratch.path("nowhere")).code == 2)
    }
}
