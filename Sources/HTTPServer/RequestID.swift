internal import Bytes
internal import Synchronization

/// The id of one request, in its response and in the log: the caller's `X-Request-Id` if that has only allowed characters, otherwise a
/// generated one.
///
/// A connection has one and reuses it for each of its requests, so that it neither allocates nor shares anything with other threads.
@safe
package struct RequestID {
    /// The header with the id, in requests and in responses.
    package static let header: StaticString = "X-Request-Id"

    // Generated ids are `pppppppp-cccccccccrrrrrrr`: the process, the connection, the request.
    private static let count = 25
    private static let digitsStart = 9
    private static let requestDigits = 7
    private static let process = UInt32.random(in: 0...UInt32.max)
    private static let connections = Atomic<UInt64>(0)

    private var own: InlineArray<25, UInt8>
    private var given = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    init() {
        let connection = Self.connections.wrappingAdd(1, ordering: .relaxed).newValue
        own = InlineArray(repeating: UInt8(ascii: "-"))
        for index in 0..<8 { own[index] = Hexadecimal.digit(UInt8(truncatingIfNeeded: Self.process >> (28 - 4 * index))) }
        for index in Self.digitsStart..<Self.count { own[index] = UInt8(ascii: "0") }
        for index in 0..<9 {
            own[Self.count - Self.requestDigits - 1 - index] = Hexadecimal.digit(UInt8(truncatingIfNeeded: connection >> (4 * index)))
        }
    }

    /// Begins the next request of the connection with a generated id, which `take` may replace.
    mutating func beginRequest() {
        unsafe given = UnsafeBufferPointer(start: nil, count: 0)
        var index = Self.count - 1
        while index >= Self.digitsStart {
            switch own[index] {
            case UInt8(ascii: "9"): return own[index] = UInt8(ascii: "a")
            case UInt8(ascii: "f"): own[index] = UInt8(ascii: "0")
            default: return own[index] += 1
            }
            index -= 1
        }
    }

    /// Uses the caller's id if it has only allowed characters. Its bytes must stay in place until the request is completed.
    mutating func take(_ name: UnsafeBufferPointer<UInt8>) {
        if unsafe Self.isPlain(name.span) { unsafe given = name }
    }

    func withBytes(_ body: (Span<UInt8>) -> Void) {
        if unsafe given.isEmpty { body(own.span) } else { unsafe body(given.span) }
    }

    package var text: String {
        var text = ""
        withBytes { name in text = String(repairing: name) }
        return text
    }

    /// Whether an id is acceptable: 1 to 64 letters, digits, `.`, `_` and `-`. It cannot be a security key, which is longer.
    package static func isPlain(_ word: Span<UInt8>) -> Bool {
        guard (1...64).contains(word.count) else { return false }
        for index in word.indices {
            switch word[index] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return true
    }
}
