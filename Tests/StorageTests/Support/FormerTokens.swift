import Core
import Crypto

/// Devices of the apps `app` and `other` as the previous version stored them, some of them with one push token in two forms.
enum FormerTokens {
    struct Row {
        let app: String
        let user: String
        let token: String
        let seenAt: Int64

        func digest() throws -> [UInt8] { Array(try sha256(token.utf8.span).prefix(16)) }
    }

    private static func token(_ pair: String, digits: Int = 64) -> String { String(String(repeating: pair, count: digits).prefix(digits)) }
    private static let opaque = "\(token("aB")):APA91bAb"

    static let rows = [
        Row(app: "app", user: "ann", token: token("A1"), seenAt: 2000), Row(app: "app", user: "bob", token: token("a1"), seenAt: 1000),
        Row(app: "app", user: "cat", token: token("B2"), seenAt: 1000), Row(app: "app", user: "dan", token: token("b2"), seenAt: 2000),
        Row(app: "app", user: "eve", token: token("C3", digits: 160), seenAt: 1000),
        Row(app: "app", user: "fay", token: token("d4D4"), seenAt: 3000), Row(app: "app", user: "gil", token: token("D4"), seenAt: 1000),
        Row(app: "app", user: "hal", token: opaque, seenAt: 1000),
        Row(app: "app", user: "ivy", token: token("E5", digits: 65), seenAt: 1000),
        Row(app: "app", user: "jim", token: token("F6", digits: 62), seenAt: 1000),
        Row(app: "other", user: "kay", token: token("A1"), seenAt: 1000),
    ]

    /// The registered devices of the app after the migration, in the form of `Store.registered`.
    static let joined = [
        "ann d1 \(token("a1"))", "dan d1 \(token("b2"))", "eve d1 \(token("c3", digits: 160))", "fay d1 \(token("d4"))", "hal d1 \(opaque)",
        "ivy d1 \(token("E5", digits: 65))", "jim d1 \(token("F6", digits: 62))",
    ]

    /// The registered devices of the other app.
    static let joinedInOther = ["kay d1 \(token("a1"))"]

    /// A webhook in transit with the former form of a token that its device has lost.
    static func lateWebhook(_ number: Int, user: String, _ pair: String) throws -> IncomingEvent {
        Sample(number).with {
            $0.user = user
            $0.device = "d1"
            $0.deviceType = "ios"
            $0.token = try? PushToken(token(pair))
        }.incoming()
    }

    /// Whether another person's registration takes over a token in each form.
    static func check(_ store: some Store) throws -> [String] {
        _ = try store.take(lateWebhook(1, user: "bob", "A1"))
        _ = try store.take(lateWebhook(2, user: "gil", "D4"))
        try store.put(token("C3", digits: 160), user: "zoe")
        try store.put(token("b2"), user: "zoe", device: "d2")
        return try store.registered().filter { !joined.contains($0) || $0.hasPrefix("eve") || $0.hasPrefix("dan") }
    }

    static let taken = ["zoe d1 \(token("c3", digits: 160))", "zoe d2 \(token("b2"))"]
}
