import Crypto
import HTTPClient
import JSON
import Simulators
import TestSupport
import Testing
import Threading
import Time

/// All simulators, a client that trusts them, and a clock that the test sets.
final class SimulatorFixture {
    static let deviceToken = String(repeating: "a1", count: 32)

    /// Created once, because the key for FCM takes half a second. The credentials have no state of a simulator.
    private static let credentials = Result { try SimulatorCredentials() }

    let simulators: SimulatorSet
    let client: Client
    /// The time of all providers.
    let now: Monitor<UnixMilliseconds>
    private(set) lazy var bearer = Result { "bearer \(try providerToken())" }
    private let directory: TemporaryDirectory

    init(_ change: (inout SimulatorSettings) -> Void = { _ in }) throws {
        let now = Monitor<UnixMilliseconds>(1_800_000_000_000)
        var settings = SimulatorSettings()
        settings.now = { now.withLock { $0 } }
        settings.credentials = try Self.credentials.get()
        change(&settings)
        self.now = now
        simulators = try SimulatorSet(settings)
        directory = try TemporaryDirectory()
        try directory.write("ca.pem", simulators.authority)
        client = try Client(
            settings: ClientSettings(connectionsPerHost: 1, certificateAuthorities: directory.path("ca.pem"), httpVersion: .http2))
    }

    static func run(_ change: (inout SimulatorSettings) -> Void = { _ in }, _ body: (SimulatorFixture) throws -> Void) throws {
        let fixture = try SimulatorFixture(change)
        defer {
            fixture.client.close()
            fixture.simulators.stop()
        }
        try body(fixture)
    }

    var seconds: UInt64 { now.withLock { $0.seconds.rawValue } }

    func post(
        _ provider: SimulatedProvider, _ path: String, headers: [(name: String, value: String)] = [], body: String,
        timeoutMilliseconds: Int = Int(WaitLimit.milliseconds)
    ) throws -> Result<ClientResponse, ClientError> {
        let request = try ClientRequest(
            .post, simulators[provider].url + path, headers: headers, body: Array(body.utf8), timeoutMilliseconds: timeoutMilliseconds,
            connectTimeoutMilliseconds: timeoutMilliseconds)
        let end = Monitor<Result<ClientResponse, ClientError>?>(nil)
        client.send(request) { result in end.update { $0 = result } }
        return try #require(end.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { $0 })
    }

    /// A provider token of APNs from the credentials; `change` may invalidate it.
    func providerToken(_ change: (inout JSONObject, inout JSONObject) -> Void = { _, _ in }) throws -> String {
        var header: JSONObject = ["alg": "ES256", "kid": .string(simulators.credentials.apnsKeyID)]
        var claims: JSONObject = ["iss": .string(simulators.credentials.apnsTeamID), "iat": .integer(Int64(seconds))]
        change(&header, &claims)
        return try Self.token(header, claims: claims, key: try privateKey())
    }

    private func privateKey() throws -> ES256PrivateKey {
        let text = Array(simulators.credentials.apnsKey.utf8)
        return try ES256PrivateKey(pem: text.span)
    }

    static func token(_ header: JSONObject, claims: JSONObject, key: some SigningKey) throws -> String {
        let parts = "\(encode(JSONValue.object(header).serialized())).\(encode(JSONValue.object(claims).serialized()))"
        let message = Array(parts.utf8)
        return "\(parts).\(encode(try key.sign(message.span)))"
    }

    private static func encode(_ bytes: [UInt8]) -> String {
        Base64URL.encode(bytes.span)
    }
}

struct SimulatorReply: Equatable {
    let status: Int
    let json: JSONValue?

    init(_ result: Result<ClientResponse, ClientError>) throws {
        let response = try result.get()
        status = response.status
        json = response.body.isEmpty ? nil : try JSONDocument(parsing: response.body.span).value()
    }

    init(_ status: Int, _ json: JSONValue?) {
        self.status = status
        self.json = json
    }

    /// A member of the object, or of the object in it.
    subscript(keys: String...) -> JSONValue? {
        var value = json
        for key in keys {
            guard case .object(let object)? = value else { return nil }
            value = object[key]
        }
        return value
    }
}

extension JSONObject {
    /// The same with another value.
    func replacing(_ key: String, _ value: JSONValue?) -> JSONObject {
        var changed = JSONObject()
        for member in members where member.key != key { changed.append(member.value, forKey: member.key) }
        if let value { changed.append(value, forKey: key) }
        return changed
    }
}
