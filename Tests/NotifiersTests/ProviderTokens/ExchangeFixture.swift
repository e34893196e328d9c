import Core
import Crypto
import HTTPClient
import Notifiers
import TestSupport

/// A scripted token server on a real socket, with a client; both are stopped at the end of the test.
struct ExchangeFixture {
    let server: ScriptedServer
    let client: Client
    let clocks = ManualClocks()

    static func with(_ script: ScriptedServer.Script, _ body: (ExchangeFixture) throws -> Void) throws {
        let server = try ScriptedServer(script)
        defer { server.stop() }
        let client = try Client(settings: ClientSettings())
        defer { client.close() }
        try body(ExchangeFixture(server: server, client: client))
    }

    /// The file of a service account whose tokens this server issues, with the key that all tests share.
    func accountFile(tokenURI: String? = nil) -> [UInt8] {
        ServiceAccountFile(tokenURI: tokenURI ?? server.url("/token")).bytes
    }

    func google(timeoutMilliseconds: Int = Int(WaitLimit.milliseconds)) throws -> GoogleTokenSource {
        let clocks = clocks
        return GoogleTokenSource(
            try ServiceAccount(parsing: accountFile().span), client: client, timeoutMilliseconds: timeoutMilliseconds,
            unixMilliseconds: { clocks.unixMilliseconds() })
    }

    func huawei(secret: String = "s+e c&r=e/t") -> HuaweiTokenSource {
        let clocks = clocks
        return HuaweiTokenSource(
            clientID: "10086", clientSecret: SecretBytes(copying: secret.utf8.span), url: server.url("/oauth2/v3/token"), client: client,
            timeoutMilliseconds: Int(WaitLimit.milliseconds), unixMilliseconds: { clocks.unixMilliseconds() })
    }
}
