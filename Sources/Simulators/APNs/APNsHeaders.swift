internal import HTTP2Server

/// The headers of a push to APNs, checked one by one as "Sending notification requests to APNs" describes them.
struct APNsHeaders {
    private static let names = ["apns-id", "apns-expiration", "apns-priority", "apns-topic", "apns-push-type", "apns-collapse-id"]
    private static let pushTypes = [
        "alert", "background", "voip", "complication", "fileprovider", "mdm", "location", "liveactivity", "pushtotalk", "widgets",
    ]

    /// Apple's reason for refusing them, all with status 400; nil when nothing is wrong.
    static func refusal(of request: HTTP2Request, topics: [String]) -> String? {
        for name in names where request.count(of: name) > 1 { return "DuplicateHeaders" }
        if let id = request.header("apns-id"), !isLowerCaseUUID(id) { return "BadMessageId" }
        // Apple tolerates its absence on some systems; what is tested here shall work on all.
        guard let type = request.header("apns-push-type"), pushTypes.contains(type) else { return "InvalidPushType" }
        if let priority = request.header("apns-priority"), !isPriority(priority, ofType: type) { return "BadPriority" }
        if let expiration = request.header("apns-expiration"), UInt32(expiration) == nil { return "BadExpirationDate" }
        if let collapse = request.header("apns-collapse-id"), !(1...64).contains(collapse.utf8.count) { return "BadCollapseId" }
        return topicRefusal(request.header("apns-topic"), topics)
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

    private static func topicRefusal(_ topic: String?, _ topics: [String]) -> String? {
        guard let topic, !topic.isEmpty else { return "MissingTopic" }
        guard topic.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else { return "BadTopic" }
        // Some kinds of push have a topic of their own below the app's, such as `.voip`.
        return topics.contains { topic == $0 || topic.hasPrefix("\($0).") } ? nil : "TopicDisallowed"
    }
}
