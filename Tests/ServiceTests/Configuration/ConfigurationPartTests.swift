import Core
import HTTPServer
import TestSupport
import Testing

@testable import Configuration

/// The listeners and the store, parsed separately from a file with mistakes.
@Suite struct ConfigurationPartTests {
    private static let admin = #""admin":{"port":9191,"token":{"file":"secrets/admin-token"}}"#
    private static let listen = #""listen":{"port":8181}"#

    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
    }

    private func write(_ json: String) throws {
        try directory.scratch.write("config.json", json)
    }

    @Test(arguments: [
        #""apps":[]"#, #""apps":{}"#, #""apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/missing"}}]}]"#, #""lgo":{}"#,
        #""log":{"level":"loud"}"#, #""store":{"path":7}"#, #""shutdown":{"drain_seconds":-1}"#, #""notifiers":{"x":{"type":"y"}}"#,
        #""bots":1"#,
    ])
    func `mistakes in other parts are ignored`(_ mistake: String) throws {
        try write("{\(Self.listen),\(Self.admin),\(mistake)}")
        #expect(throws: ConfigurationError.self) { try Configuration(contentsOf: directory.file) }
        let admin = try #require(Configuration.Admin(contentsOf: directory.file))
        #expect(admin.listener.address == .tcp(host: "127.0.0.1", port: 9191))
        #expect(admin.tokens.count == 1)
        #expect(Configuration.Listener(contentsOf: directory.file)?.address == .tcp(host: "127.0.0.1", port: 8181))
    }

    @Test(arguments: [
        #""admin":7"#, #""admin":{"prot":9191}"#, #""admin":{"port":-1}"#, #""admin":{"token":{"file":"secrets/missing"}}"#,
        #""admin":{"tokens":[]}"#, #""admin":{"tls":{"certificate":"missing","key":"missing"}}"#,
        #""admin":{"token":{"file":"weak"}}"#, #""admin":{"token":{"file":"weak"}},"allow_insecure_secrets":"yes""#,
    ])
    func `a mistake in the part itself is reported`(_ members: String) throws {
        try directory.scratch.write("weak", "secret")
        try write("{\(Self.listen),\(members)}")
        #expect(Configuration.Admin(contentsOf: directory.file) == nil)
    }

    @Test func `a mistake in one listener does not affect the other`() throws {
        try write(#"{"listen":{"prot":8181},\#(Self.admin)}"#)
        #expect(Configuration.Listener(contentsOf: directory.file) == nil)
        #expect(Configuration.Admin(contentsOf: directory.file) != nil)
    }

    @Test func `the store is parsed separately`() throws {
        try write(#"{"store":{"path":"other.db"},"apps":[]}"#)
        #expect(Configuration.Store(contentsOf: directory.file)?.kind == .sqlite(path: directory.scratch.path("other.db")))
        try write(#"{"store":{"path":7},"apps":[]}"#)
        #expect(Configuration.Store(contentsOf: directory.file) == nil)
    }

    /// It may be elsewhere or under another name; its defaults could belong to another store or service.
    @Test(arguments: [
        #""apps":[]"#, #""stor":{"path":"other.db"}"#, #""admin":{"token":{"file":"secrets/admin-token"},"store":{"path":"other.db"}}"#,
        #""apps":[{"app_id":"shop","store":{"path":"other.db"}}]"#,
    ])
    func `a missing part does not get its defaults in a file with mistakes`(_ members: String) throws {
        try write("{\(members)}")
        #expect(Configuration.Store(contentsOf: directory.file) == nil)
        #expect(Configuration.Listener(contentsOf: directory.file) == nil)
    }

    @Test func `a part is parsed beside an unknown key`() throws {
        try write(#"{"stor":{"path":"other.db"},\#(Self.admin)}"#)
        #expect(Configuration.Admin(contentsOf: directory.file) != nil)
    }

    @Test func `the permission of insecure secrets applies to the part`() throws {
        try directory.scratch.write("weak", "secret")
        try write(#"{"admin":{"token":{"file":"weak"}},"allow_insecure_secrets":true,"apps":[]}"#)
        #expect(Configuration.Admin(contentsOf: directory.file)?.tokens.count == 1)
    }

    @Test(arguments: [
        "{ADMIN,", "{ADMIN,}", "{ADMIN", #"{ADMIN "apps":[]}"#, #"{ADMIN,"apps":[1 2]}"#, #"{ADMIN,"apps":[],,"log":{}}"#, "{ADMIN}}",
        "{ADMIN,'log':{}}", "{ADMIN, // a remark\n}",
    ])
    func `invalid JSON after the part is ignored`(_ text: String) throws {
        try write(text.replacing("ADMIN", with: Self.admin))
        #expect(Configuration.Admin(contentsOf: directory.file)?.tokens.count == 1)
        #expect(Configuration.Listener(contentsOf: directory.file) == nil)
    }

    @Test(arguments: [
        #"{"log":{"level" "info"},ADMIN}"#, "{'log':{},ADMIN}", #"{"admin":{"port":9191,}}"#, #"{"admin":{"port":1,"port":2}}"#,
        #"{ADMIN,ADMIN}"#, #"{"admin":{"port":9191"#, "[ADMIN]",
    ])
    func `invalid JSON in or before the part is reported`(_ text: String) throws {
        try write(text.replacing("ADMIN", with: Self.admin))
        #expect(Configuration.Admin(contentsOf: directory.file) == nil)
    }

    @Test(arguments: ["", "{", "[]", "7"])
    func `a file without a JSON object has no part`(_ text: String) throws {
        try write(text)
        #expect(Configuration.Admin(contentsOf: directory.file) == nil)
    }

    @Test func `a file that others can change, or that is missing, has no part`() throws {
        try directory.scratch.write("config.json", "{\(Self.admin)}", mode: 0o666)
        #expect(Configuration.Admin(contentsOf: directory.file) == nil)
        #expect(Configuration.Admin(contentsOf: directory.scratch.path("missing.json")) == nil)
    }

    @Test func `a token that others can read invalidates the part`() throws {
        try directory.scratch.write("secrets/admin-token", TestSecret.text(200), mode: 0o644)
        try write("{\(Self.admin)}")
        #expect(Configuration.Admin(contentsOf: directory.file) == nil)
    }
}
