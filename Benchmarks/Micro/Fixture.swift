internal import Configuration
import Core
import Crypto
import HTTPServer
import Observability
import POSIX
import Service
import Storage
import TestSupport
import Time

/// One app with one secret, a user with a key, and the service that answers their requests.
struct Fixture {
    /// An app id of 136 characters, the form that the help desk issues.
    static let appID: String = String(repeating: "Zm9yLWVhc2U-bm90~", count: 8).dropLast(2) + "=="
    static let userID = "user-\u{43f}\u{451}\u{442}\u{440}-20417"
    static let now = SystemClock.unixSeconds()
    /// The maximum age of a key.
    static let maximumLifetimeSeconds: UInt64 = 100 * 86_400
    /// Keys issued to the user before this time are revoked.
    static let revokedBefore = now - 3600

    let authorizer: Authorizer
    let router: Router
    /// A router with the service's default log level, at which denials are logged.
    let loggingRouter: Router
    private let log: TestLog
    let minting: KeyMinting
    let securityKey: [UInt8]
    let appID = Array(Self.appID.utf8)
    let userID = Array(Self.userID.utf8)

    init() throws {
        let configuration = try Self.configuration()
        let sink = try LogSink(format: .text)
        authorizer = try configuration.makeAuthorizer()
        router = try ServiceGraph(configuration, logger: Logger(level: .warning, sink: sink)).publicRouter
        log = try TestLog(in: TemporaryDirectory(), level: .info)
        let store = MemoryStore()
        try store.revoke(Self.revocation())
        loggingRouter = try ServiceGraph(configuration, logger: log.logger) { () throws(StoreError) in store }.publicRouter
        minting = KeyMinting(authorizer, defaultLifetimeSeconds: 86_400)
        securityKey = Array(try minting.mint(appID: Self.appID, userID: Self.userID, now: Self.now).securityKey.utf8)
    }

    /// The body as the help desk sends it.
    var json: [UInt8] { json(appID: appID, securityKey: securityKey) }

    /// The body with another app id and security key.
    func json(appID: [UInt8], securityKey: [UInt8]) -> [UInt8] {
        let (app, key) = (String(decoding: appID, as: UTF8.self), String(decoding: securityKey, as: UTF8.self))
        return Array(#"{"app_id":"\#(app)","user_id":"\#(Self.userID)","security_key":"\#(key)"}"#.utf8)
    }

    /// The body as a form, escaped as by a browser.
    var form: [UInt8] {
        Array("app_id=\(Self.escape(appID))&user_id=\(Self.escape(userID))&security_key=\(securityKeyText)".utf8)
    }

    /// A well-formed key with a wrong MAC.
    var wrongKey: [UInt8] {
        var key = securityKey
        key[key.count - 1] = key[key.count - 1] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        return key
    }

    var unknownAppID: [UInt8] {
        appID.reversed()
    }

    private var securityKeyText: String {
        String(decoding: securityKey, as: UTF8.self)
    }

    private static func revocation() -> Revocation {
        var random = SystemRandomNumberGenerator()
        let now = SystemClock.unixMilliseconds()
        return Revocation(
            id: UUIDv7(milliseconds: now, using: &random), appID: appID, subject: .user(userID), issuedBefore: revokedBefore, reason: "",
            author: "benchmark", createdAt: now)
    }

    private static func configuration() throws -> Configuration {
        let directory = try TemporaryDirectory()
        let random: InlineArray<32, UInt8> = try randomBytes()
        let secret = Base64URL.encode(random.span)
        let file = directory.path("config.json")
        let text = """
            {"apps":[{"app_id":"\(appID)","keys":[{"id":1,"secret":{"env":"SECRET"}}]}],
             "security_keys":{"longest_life_seconds":\(maximumLifetimeSeconds)}}
            """
        try File.create(file, mode: 0o600, text.utf8)
        return try Configuration(contentsOf: file) { $0 == "SECRET" ? secret : nil }
    }

    private static func escape(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF")
        return bytes.map { byte in
            let plain = byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
            return plain ? String(UnicodeScalar(byte)) : "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 0x0F)])"
        }.joined()
    }
}
