internal import Crypto
internal import HTTPServer
internal import Synchronization

/// Names a request in the log: the caller's X-Request-Id when it is a plain word, otherwise one of our own.
///
/// Made only for requests that are logged, so that the others pay nothing.
struct RequestID: Sendable {
    private static let processPart: String = {
        let random: InlineArray<6, UInt8>? = try? randomBytes()
        return random.map { Base64URL.encode($0.span) } ?? "request"
    }()
    private static let counter = Atomic<UInt64>(0)

    let text: String

    init(of request: borrowing Request) {
        var given: String?
        request.withHeader("X-Request-Id") { value in
            if let value, Self.isPlain(value) { given = String(decoding: value.indices.map { value[$0] }, as: UTF8.self) }
        }
        text = given ?? Self.next()
    }

    private static func next() -> String {
        "\(processPart)-\(counter.wrappingAdd(1, ordering: .relaxed).newValue)"
    }

    /// Letters, digits, `.`, `_` and `-`, at most 64: nothing that could be a security key, which is longer.
    private static func isPlain(_ value: Span<UInt8>) -> Bool {
        guard (1...64).contains(value.count) else { return false }
        for index in value.indices {
            switch value[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return true
    }
}
