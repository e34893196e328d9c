import JSON
import TestSupport
import Testing

@Suite struct ExampleTests {
    /// The key in docs/SECURITY-KEY.md, minted with its salt and accepted by the service.
    @Test func `the documentation's vector is valid`() throws {
        let script = """
            import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True; import deskgate
            secret, salt = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", bytes(range(32, 48))
            print(deskgate.mint_security_key("my-app", "user-1", 1, secret, 2592000, now=1767225600, salt=salt))
            """
        let key = String(try Command("python3", "-c", script, packageRoot + "/clients").output.dropLast())
        #expect(try Command("grep", "-cF", key, packageRoot + "/docs/SECURITY-KEY.md").output == "1\n")
        let scratch = try TemporaryDirectory()
        #expect(try Deskgate.run("init", scratch.path("data")).code == 0)
        try scratch.write("data/secrets/app-1.key", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n", mode: 0o600)
        let verified = try Deskgate.run(
            "key", "verify", "--config", scratch.path("data/config.json"), "--app", "my-app", "--user", "user-1", "--key", key, "--at",
            "1767225600", "--offline")
        #expect(verified.code == 0)
    }

    @Test(arguments: [(#""{}", [secret]"#, "bad_argument"), (#"b"{}", [secret.encode()]"#, "bad_secret")])
    func `the Python file names an argument of the wrong type`(_ arguments: String, _ reason: String) throws {
        let script = """
            import sys; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True; import deskgate
            headers = {"webhook-id": "1", "webhook-timestamp": "1", "webhook-signature": "v1,AAAA"}
            secret = "whsec_" + "A" * 32
            try:
                deskgate.verify_event(headers, \(arguments))
            except deskgate.DeskgateError as error:
                print(error.reason)
            """
        #expect(try Command("python3", "-c", script, packageRoot + "/clients").output == "\(reason)\n")
    }

    @Test func `the receiver verifies its requests`() throws {
        let scratch = try TemporaryDirectory()
        let secret = scratch.path("backend.key")
        #expect(try Deskgate.run("secret", "new", "--signing", "--out", secret).code == 0)
        let words = [packageRoot + "/examples/receiver.py", secret, "0"]
        let receiver = try ChildProcess("python3", words.map { Array($0.utf8) })
        let line = try receiver.output.line(containing: "listening on").text
        let port = try #require(line.split(separator: ":").last)
        let workspace = try Workspace([
            "apps": [
                [
                    "app_id": "app-1", "keys": [["id": 1, "secret": ["file": "app-1.key"]]], "notifiers": ["backend"],
                    "webhook": ["secret": ["file": "admin-token"]],
                ]
            ],
            "allow_insecure_secrets": true,
            "notifiers": [
                "backend": [
                    "type": "http", "url": .string("http://127.0.0.1:\(port)/events"), "secret": ["file": .string(secret)],
                    "requires_device": false,
                ]
            ],
        ])
        let server = try RunningServer(workspace)
        let body =
            #"{"ticket_id":1,"token":{"app_id":"app-1","user_id":"u","device_id":"d","type":"ios"},"#
            + #""comment":{"comment_id":2,"body":"x"},"author":{"name":"Ann"},"created_at":"2026-03-10T08:15:12Z"}"#
        let client = try SocketClient(server.publicAddress)
        let path = "/pyrus/webhook/\(Markers.adminToken)"
        try client.send("POST \(path) HTTP/1.1\r\nHost: test\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(try client.readResponse().status == 200)
        _ = try receiver.output.line(containing: "verified comment.created")
        #expect(try server.stop() == .exit(0))
    }

    @Test func `the receiver reports a port in use`() throws {
        let occupied = try ScriptedServer(.everyRequest(.respond(200)))
        defer { occupied.stop() }
        let scratch = try TemporaryDirectory()
        try scratch.write("backend.key", "whsec_AAAA")
        let words = [packageRoot + "/examples/receiver.py", scratch.path("backend.key"), "\(occupied.port)"]
        let receiver = try ChildProcess("python3", words.map { Array($0.utf8) })
        #expect(try receiver.waitForEnd() == .exit(1))
        let message = "cannot listen on 127.0.0.1:\(occupied.port): Address already in use; give another port"
        #expect(try receiver.errors.text() == "receiver.py: \(message)\n")
    }

    /// 401 would deny every user if a clock or the secret is wrong.
    @Test func `the receiver answers a forged event with 401 and a forged question with 400`() throws {
        let scratch = try TemporaryDirectory()
        let secret = scratch.path("backend.key")
        #expect(try Deskgate.run("secret", "new", "--signing", "--out", secret).code == 0)
        let words = [packageRoot + "/examples/receiver.py", secret, "0"]
        let receiver = try ChildProcess("python3", words.map { Array($0.utf8) })
        let line = try receiver.output.line(containing: "listening on").text
        let port = try #require(line.split(separator: ":").last)
        for (path, status) in [("/events", "401"), ("/may-chat", "400")] {
            let forged = try Command(
                "curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "webhook-id: 1", "-H", "webhook-timestamp: 1", "-H",
                "webhook-signature: v1,AAAA", "-d", "{}", "http://127.0.0.1:\(port)\(path)")
            #expect(forged.output == status)
        }
        _ = try receiver.output.line(containing: "REFUSED")
    }
}
