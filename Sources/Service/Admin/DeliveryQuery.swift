internal import HTTPServer

/// The query of a request about deliveries, decoded strictly.
struct DeliveryQuery {
    private let items: [(name: String, text: String)]

    /// Decodes the percent escapes (RFC 3986 section 2.1); what they stand for must be UTF-8.
    init(_ items: [QueryItem]) throws(DeliveryMistake) {
        var decoded: [(name: String, text: String)] = []
        for item in items { decoded.append((try Self.text(item.name), try Self.text(item.value))) }
        self.items = decoded
    }

    /// `GET /v1/deliveries`
    func list() throws(DeliveryMistake) -> DeliveryAction {
        var criteria = DeliveryCriteria()
        var limit: Int?
        for (name, text) in items {
            guard name.utf8.elementsEqual("limit".utf8) else {
                try criteria.add(name, text)
                continue
            }
            guard limit == nil else { throw DeliveryMistake(message: "limit: given twice.") }
            limit = try Self.limit(text)
        }
        return .list(criteria.filter, limit: limit ?? DeliveryAction.defaultLimit)
    }

    /// `DELETE /v1/deliveries`
    func purge() throws(DeliveryMistake) -> DeliveryAction {
        var values: [String: String] = [:]
        for (name, text) in items {
            guard let known = ["state", "before"].first(where: { $0.utf8.elementsEqual(name.utf8) }) else {
                throw DeliveryMistake(message: "Unknown criterion \(printable(name)); known are state, before.")
            }
            guard values.updateValue(text, forKey: known) == nil else { throw DeliveryMistake(message: "\(known): given twice.") }
        }
        return try DeliveryAction.purging(state: values["state"], before: values["before"])
    }

    private static func limit(_ text: String) throws(DeliveryMistake) -> Int {
        guard let number = try? DeliveryCriteria.number("limit", text), (1...Int64(DeliveryAction.largestLimit)).contains(number) else {
            throw DeliveryMistake(message: "limit: expected a number from 1 to \(DeliveryAction.largestLimit).")
        }
        return Int(number)
    }

    private static func text(_ escaped: [UInt8]) throws(DeliveryMistake) -> String {
        var bytes: [UInt8] = []
        var rest = escaped[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                throw DeliveryMistake(message: "The query has a % without two hexadecimal digits.")
            }
            bytes.append(high << 4 | low)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw DeliveryMistake(message: "The query is not UTF-8.") }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
