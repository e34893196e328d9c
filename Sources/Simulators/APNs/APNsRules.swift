internal import Bytes
internal import Crypto
internal import HTTP2Server
internal import JSON
internal import Time

/// The rules of APNs for a push: checks the sender, the device, the headers and the payload, in this order.
final class APNsRules: SimulatorRules {
    private static let pathPrefix = "/3/device/"
    private static let payloadLimit = 4096

    private let provider: SimulatedProvider
    private let tokens: ProviderTokens
    private let isKeyForIt: Bool
    private let conversations: [String]
    private let devices: DeviceRegistry
    private let streamLimit: Int
    private let now: @Sendable () -> UnixMilliseconds

    /// - Parameters:
    ///   - provider: the simulated environment.
    ///   - isKeyForIt: whether the key is valid for this environment.
    ///   - streamLimit: the maximum number of streams of a connection after a push of an authenticated sender.
    init(
        _ provider: SimulatedProvider, tokens: ProviderTokens, isKeyForIt: Bool, conversations: [String], devices: DeviceRegistry,
        streamLimit: Int, now: @escaping @Sendable () -> UnixMilliseconds
    ) {
        self.provider = provider
        self.tokens = tokens
        self.isKeyForIt = isKeyForIt
        self.conversations = conversations
        self.devices = devices
        self.streamLimit = streamLimit
        self.now = now
    }

    func subject(of request: HTTP2Request) -> Fault.Subject {
        Fault.Subject(endpoint: .send, tokens: [Self.token(request)])
    }

    func refusal(_ answer: Fault.Answer, _ request: HTTP2Request) -> SimulatorAnswer {
        var refusal = refuse(answer.status, reason: answer.reason, request: request, timestamp: answer.timestamp)
        if answer.reason.isEmpty { refusal.body = [] }
        if let retryAfter = answer.retryAfter { refusal.headers.append(("retry-after", retryAfter)) }
        return refusal
    }

    func answer(_ request: HTTP2Request) -> SimulatorAnswer {
        guard request.path.utf8.starts(with: Self.pathPrefix.utf8) else { return refuse(404, reason: "BadPath", request: request) }
        guard request.method == "POST" else { return refuse(405, reason: "MethodNotAllowed", request: request) }
        if let refusal = tokens.refusal(of: request.bearer, now: now().seconds) {
            return refuse(refusal.status, reason: refusal.rawValue, request: request)
        }
        guard isKeyForIt else { return refuse(403, reason: "BadEnvironmentKeyInToken", request: request) }
        // From here on the sender is authenticated, so the stream limit is raised.
        var answer = evaluate(request)
        answer.streamLimit = streamLimit
        return answer
    }

    private func evaluate(_ request: HTTP2Request) -> SimulatorAnswer {
        let token = Self.token(request)
        guard !token.isEmpty else { return refuse(400, reason: "MissingDeviceToken", request: request) }
        if let reason = APNsHeaders.refusal(of: request, conversations: conversations) {
            return refuse(400, reason: reason, request: request)
        }
        guard request.body.count <= Self.payloadLimit else { return refuse(413, reason: "PayloadTooLarge", request: request) }
        guard let payload = JSONValue(parsing: request.body), let aps = payload["aps"], aps.isObject else {
            return refuse(400, reason: "PayloadEmpty", request: request)
        }
        if request.header("apns-push-type") == "background", !Self.isSilent(aps) {
            return refuse(400, reason: "InvalidPushType", request: request)
        }
        guard Self.isDeviceToken(token) else { return refuse(400, reason: "BadDeviceToken", request: request) }
        if let refusal = refusal(of: token, request) { return refusal }
        let (id, alert) = (identifier(request), Self.alert(aps["alert"]))
        let push = SimulatedPush(
            provider: provider, token: token, id: id, title: alert.title, body: alert.body, headers: request.recordableHeaders,
            payload: payload, isDryRun: false)
        return SimulatorAnswer(status: 200, headers: [("apns-id", id)], push: push)
    }

    private func refusal(of token: String, _ request: HTTP2Request) -> SimulatorAnswer? {
        switch devices.refusal(of: token, by: provider) {
        case .invalid: return refuse(400, reason: "BadDeviceToken", request: request)
        case .mismatch: return refuse(400, reason: "DeviceTokenNotForTopic", request: request)
        case .unregistered: return refuse(410, reason: "Unregistered", request: request, timestamp: devices[token]?.unregisteredAt ?? now())
        case nil: break
        }
        guard let topic = devices[token]?.topic, topic != request.header("apns-topic") else { return nil }
        return refuse(400, reason: "DeviceTokenNotForTopic", request: request)
    }

    private func refuse(_ status: Int, reason: String, request: HTTP2Request, timestamp: UnixMilliseconds? = nil) -> SimulatorAnswer {
        var body: JSONObject = ["reason": .string(reason)]
        if let timestamp { body.append(.integer(Int64(clamping: timestamp.rawValue)), forKey: "timestamp") }
        return SimulatorAnswer(status: status, headers: [("apns-id", identifier(request))], json: .object(body))
    }

    // The sender's own id, or a new one.
    private func identifier(_ request: HTTP2Request) -> String {
        if let id = request.header("apns-id"), APNsHeaders.isLowerCaseUUID(id) { return id }
        return RandomText.uuid()
    }

    private static func token(_ request: HTTP2Request) -> String {
        let path = request.path.utf8
        return path.starts(with: pathPrefix.utf8) ? String(Substring(path.dropFirst(pathPrefix.utf8.count))) : ""
    }

    // Apple's tokens have 32 bytes today; Apple documents that their length varies.
    private static func isDeviceToken(_ token: String) -> Bool {
        (1...200).contains(token.utf8.count) && token.utf8.count % 2 == 0
            && token.utf8.allSatisfy { Hexadecimal.value($0) != nil }
    }

    /// Whether a payload is a background update. Apple accepts others without promising to deliver them; this check is stricter.
    static func isSilent(_ aps: JSONValue) -> Bool {
        aps["content-available"] == 1 && ["alert", "sound", "badge"].allSatisfy { aps[$0] == nil }
    }

    private static func alert(_ alert: JSONValue?) -> (title: String, body: String) {
        if let text = alert?.text { return ("", text) }
        return (alert?["title"]?.text ?? "", alert?["body"]?.text ?? "")
    }
}

/// The headers of a push to APNs, checked one by one as "Sending notification requests to APNs" describes them.
struct APNsHeaders {
    private static let names = ["apns-id", "apns-expiration", "apns-priority", "apns-topic", "apns-push-type", "apns-collapse-id"]
    private static let pushTypes = [
        "alert", "background", "voip", "complication", "fileprovider", "mdm", "location", "liveactivity", "pushtotalk", "widgets",
    ]

    /// Apple's reason for rejecting the headers, always with status 400; nil when they are correct.
    static func refusal(of request: HTTP2Request, conversations: [String]) -> String? {
        for name in names where request.count(of: name) > 1 { return "DuplicateHeaders" }
        if let id = request.header("apns-id"), !isLowerCaseUUID(id) { return "BadMessageId" }
        // Apple accepts its absence on some systems; this check is stricter, so that clients work on all of them.
        guard let type = request.header("apns-push-type"), pushTypes.contains(type) else { return "InvalidPushType" }
        if let priority = request.header("apns-priority"), !isPriority(priority, ofType: type) { return "BadPriority" }
        if let expiration = request.header("apns-expiration"), UInt32(expiration) == nil { return "BadExpirationDate" }
        if let collapse = request.header("apns-collapse-id"), !(1...64).contains(collapse.utf8.count) { return "BadCollapseId" }
        return topicRefusal(request.header("apns-topic"), conversations)
    }

    /// Whether a text is 8-4-4-4-12 lower-case hexadecimal digits.
    static func isLowerCaseUUID(_ text: String) -> Bool {
        guard text.utf8.count == 36 else { return false }
        for (index, byte) in text.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "-"): guard [8, 13, 18, 23].contains(index) else { return false }
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
                guard ![8, 13, 18, 23].contains(index) else { return false }
            default: return false
            }
        }
        return true
    }

    private static func isPriority(_ text: String, ofType type: String) -> Bool {
        type == "background" ? text == "5" : ["1", "5", "10"].contains(text)
    }

    private static func topicRefusal(_ topic: String?, _ conversations: [String]) -> String? {
        guard let topic, !topic.isEmpty else { return "MissingTopic" }
        guard topic.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return "BadTopic" }
        // Some kinds of push use a topic derived from the app's, such as `.voip`.
        return conversations.contains { topic == $0 || topic.hasPrefix("\($0).") } ? nil : "TopicDisallowed"
    }
}
