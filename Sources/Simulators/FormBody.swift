/// The fields of an `application/x-www-form-urlencoded` body; the first of a name counts.
struct FormBody {
    private let fields: [(name: String, value: String)]

    init(_ body: [UInt8]) {
        fields = body.split(separator: UInt8(ascii: "&")).map { field in
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            return (Self.decode(parts[0]), parts.count == 2 ? Self.decode(parts[1]) : "")
        }
    }

    subscript(name: String) -> String? {
        fields.first { $0.name == name }?.value
    }

    // What is no escape stays as it is.
    private static func decode(_ bytes: ArraySlice<UInt8>) -> String {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "+") {
                decoded.append(UInt8(ascii: " "))
            } else if byte == UInt8(ascii: "%"), rest.count >= 2,
                let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                decoded.append(escaped)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
