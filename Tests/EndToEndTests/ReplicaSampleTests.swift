import Glibc
import HTTPServer
import JSON
import TestSupport
import Testing

/// The sample in `deploy/replicas`, run with the commands in its README.
@Suite final class ReplicaSampleTests {
    private let directory: TemporaryDirectory
    private let startDirectory: TemporaryDirectory
    private let port: UInt16
    private let sample: ChildProcess

    init() throws {
        directory = try TemporaryDirectory()
        startDirectory = try TemporaryDirectory()
        port = try freePorts(7)
        // PostgreSQL refuses to run as root, and the user nobody cannot read the build directory.
        let program = directory.path("deskgate")
        #expect(try Command("cp", Deskgate.path, program).status == 0)
        #expect(try Command("cp", "-r", packageRoot + "/deploy/replicas", directory.path("replicas")).status == 0)
        var words = [directory.path("replicas/up"), directory.path("site"), "\(port)"]
        if getuid() == 0 {
            #expect(try Command("chown", "-R", "65534:65534", directory.path).status == 0)
            words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] + words
        }
        // PostgreSQL's programs search for certificates in the home directory.
        words = ["env", "HOME=\(directory.path)", "DESKGATE=\(program)"] + words
        // In a directory that the programs' user cannot enter, such as root's own.
        words = ["sh", "-c", #"cd "$0" && exec "$@""#, startDirectory.path] + words
        sample = try ChildProcess(words[0], words.dropFirst().map { Array($0.utf8) })
        _ = try sample.output.line(containing: "The sample serves")
    }

    deinit {
        sample.send(SIGTERM)
        _ = try? sample.waitForEnd()
    }

    private func webhook(_ comment: Int) throws -> ReceivedResponse {
        let secret = try directory.read("site/deskgate/secrets/webhook-1.key").split(separator: "\n")[0]
        let body: JSONValue = [
            "ticket_id": 4211, "token": ["app_id": "my-app", "user_id": "user-1", "device_id": "phone-1", "type": "ios"],
            "comment": ["comment_id": .integer(Int64(comment)), "body": "Hello!"], "author": ["name": "Anna"],
            "created_at": "2026-03-10T08:15:12Z",
        ]
        return try post("/pyrus/webhook/\(secret)", body)
    }

    private func post(_ path: String, _ body: JSONValue) throws -> ReceivedResponse {
        let client = try SocketClient(.tcp(host: "127.0.0.1", port: port))
        let bytes = body.serialized()
        try client.send(
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(bytes.count)\r\n\r\n")
        try client.send(bytes)
        return try client.readResponse()
    }

    /// The number in a file's first line; nil while the file is being written.
    private func number(in file: String) -> Int32? {
        (try? directory.read("site/\(file)"))?.split(separator: "\n").first.flatMap { Int32($0) }
    }

    /// `node` restarts a killed primary after about two seconds, and the standby takes over only after five. So a failover happens only on
    /// a slow machine, and the test passes with and without it.
    @Test func `the sample serves again after a replica or the primary is killed`() throws {
        let key = try Deskgate.run(
            "key", "mint", "--config", directory.path("site/deskgate/replica-1.json"), "--app", "my-app", "--user", "user-1"
        ).output.dropLast()
        let authorized = {
            try self.post("/pyrus/authorize", ["app_id": "my-app", "user_id": "user-1", "security_key": .string(String(key))]).status
        }
        #expect(try authorized() == 200)
        #expect(try webhook(1).text.contains("accepted"))
        for replica in ["replica-1.pid", "replica-2.pid"] {
            let process = try #require(number(in: replica))
            kill(process, SIGKILL)
            #expect(eventually { (try? authorized()) == 200 })
            #expect(eventually { (try? self.webhook(1).text.contains("duplicate")) == true })
            #expect(eventually { self.number(in: replica).map { $0 != process } == true })
            // The second replica is killed when the first one serves again.
            let port = port + (replica == "replica-1.pid" ? 1 : 3)
            #expect(eventually { (try? status(.tcp(host: "127.0.0.1", port: port), "/readyz")) == 200 })
        }
        kill(try #require(number(in: "db1/postmaster.pid")), SIGKILL)
        #expect(eventually { (try? authorized()) == 200 })
        #expect(eventually { (try? self.webhook(2).status) == 200 })
        #expect(eventually { (try? self.webhook(1).text.contains("duplicate")) == true })
        #expect(eventually { (try? authorized()) == 200 })
    }
}
