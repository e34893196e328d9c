internal import Bytes
internal import Crypto
internal import JSON
internal import Time

enum DemoApp: String {
    case shop, couriers, tablets
    /// The app of Sendbird Desk; the others are of Pyrus.
    case market

    /// The secret in the path of its webhooks; those of Sendbird are signed.
    var webhook: DemoSecret? {
        switch self {
        case .shop: .shopWebhook
        case .couriers: .courierWebhook
        case .tablets: .tabletWebhook
        case .market: nil
        }
    }

    /// The prefix of its help desk's paths.
    var prefix: String { self == .market ? "/sendbird" : "/pyrus" }
}

struct DemoPhone: Sendable, Equatable {
    let app: DemoApp
    let user: String
    /// The type, as an app names it: ios, android, huawei or rustore.
    let type: String

    var device: String { "\(user)-\(type)" }

    /// The push token: 64 hexadecimal digits, which every provider accepts.
    var token: String {
        // SHA-256 of a few bytes fails only without memory.
        let digest = (try? sha256("\(app.rawValue)/\(device)".utf8.span)) ?? [UInt8](repeating: 0, count: 32)
        return Hexadecimal.text(digest.span)
    }
}

/// A reply of support, in the help desk's form.
struct DemoComment: Sendable {
    let app: DemoApp
    let user: String
    let ticket: Int64
    let comment: Int64
    let text: DemoText
    /// The phone on which the person has written; nil for none.
    var device: DemoPhone?
    /// Whether the person wrote it, not support.
    var isInbound = false

    var json: JSONValue {
        var token: JSONObject = ["app_id": .string(app.rawValue), "user_id": .string(user)]
        if let device {
            token.append(.string(device.device), forKey: "device_id")
            token.append(.string(device.type), forKey: "type")
        }
        var content: JSONObject = ["comment_id": .integer(comment), "body": .string(text.body), "is_inbound": .bool(isInbound)]
        if let file = text.file {
            content.append([["id": .integer(comment), "name": .string(file), "size": .integer(48_213)]], forKey: "attachments")
        }
        return [
            "ticket_id": .integer(ticket), "token": .object(token), "comment": .object(content), "author": ["name": .string(text.author)],
            "created_at": .string(RFC3339.text(SystemClock.unixMilliseconds())),
        ]
    }
}

struct DemoText: Sendable {
    let author: String
    let body: String
    /// The name of an attached file; nil for none.
    var file: String?

    static let all = [
        DemoText(author: "Anna", body: "Hello! I have found your order: it leaves the warehouse today."),
        DemoText(author: "Мария Кузнецова", body: "Здравствуйте! Ваш заказ уже в пути, курьер позвонит за час."),
        DemoText(author: "Anna", body: "Here is the invoice.", file: "invoice-1043.pdf"),
        DemoText(author: "Дмитрий", body: "Возврат оформлен, деньги придут в течение трёх дней.", file: "Заявление на возврат.pdf"),
        DemoText(
            author: "Maximilian Featherstonehaugh-Cholmondeley, Returns and Refunds",
            body: "I am sorry for the trouble. Please send us a photograph of the parcel as it arrived, with the label on it."),
        DemoText(author: "Anna", body: "Is there anything else that I can do for you?"),
        DemoText(author: "Мария Кузнецова", body: "Проверьте, пожалуйста, адрес: дом 12 или 12к2?"),
        DemoText(author: "Lucía Fernández", body: "The size you asked for is back in stock."),
    ]

    /// The text with this number, modulo the number of texts.
    static func number(_ number: Int64) -> DemoText { all[Int(number % Int64(all.count))] }
}
