internal import Bytes
package import HTTPServer

/// The format of a body. If the content type specifies neither format, the first byte decides, because the help desk's content type is
/// undocumented.
package enum BodyFormat {
    case json, form

    package init(of request: borrowing Request) {
        var declared: BodyFormat?
        request.withHeader("Content-Type") { value in
            if let value { declared = BodyFormat(contentType: value) }
        }
        self = declared ?? request.withBody { body in BodyFormat(guessing: body) }
    }

    private init?(contentType: Span<UInt8>) {
        if Self.mediaType(contentType, is: "application/json") {
            self = .json
        } else if Self.mediaType(contentType, is: "application/x-www-form-urlencoded") {
            self = .form
        } else {
            return nil
        }
    }

    private init(guessing body: Span<UInt8>) {
        for index in body.indices where !Self.isWhiteSpace(body[index]) {
            switch body[index] {
            // 0xEF begins a byte order mark, which the JSON parser reports as an error.
            case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), 0xEF: self = .json
            default: self = .form
            }
            return
        }
        self = .json
    }

    private static func mediaType(_ value: Span<UInt8>, is name: StaticString) -> Bool {
        var end = 0
        while end < value.count, value[end] != UInt8(ascii: ";") { end += 1 }
        while end > 0, isWhiteSpace(value[end - 1]) { end -= 1 }
        return value.extracting(..<end).equalsIgnoringCase(name)
    }

    private static func isWhiteSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
