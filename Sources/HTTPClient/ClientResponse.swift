/// A response as it arrived. Redirects are responses like any other.
package struct ClientResponse: Sendable {
    /// Which version of HTTP carried it.
    package enum HTTPVersion: Sendable, Equatable {
        case http1, http2
    }

    /// The status code of the final response, 200 to 999.
    package let status: Int
    /// The body, up to the request's limit.
    package let body: [UInt8]
    /// Whether the body was longer than the limit and was cut off there.
    package let isTruncated: Bool
    /// Which version of HTTP carried it.
    package let httpVersion: HTTPVersion
    /// When the connection stood, from the transfer's start, in microseconds; next to nothing on a kept connection.
    package let connectMicroseconds: Int
    /// How long the transfer took, in microseconds, without the time that it waited for its turn.
    package let totalMicroseconds: Int
    private let head: ResponseHead

    init(
        status: Int, head: ResponseHead, body: [UInt8], isTruncated: Bool, httpVersion: HTTPVersion, connectMicroseconds: Int,
        totalMicroseconds: Int
    ) {
        self.status = status
        self.head = head
        self.body = body
        self.isTruncated = isTruncated
        self.httpVersion = httpVersion
        self.connectMicroseconds = connectMicroseconds
        self.totalMicroseconds = totalMicroseconds
    }

    /// The value of the first header of this name, in any case, without the white space around it; nil when there is none.
    ///
    /// Bytes that are not UTF-8 are repaired, so compare it as the foreign text that it is.
    package func header(_ name: String) -> String? {
        head.value(of: name)
    }
}

/// The header lines of a response, gathered as they arrive and searched when somebody asks.
struct ResponseHead: Sendable {
    /// The most bytes of header lines, those of informational responses and trailers included.
    static let limit = 64 * 1024

    private var lines: [UInt8] = []
    private var received = 0
    private var isComplete = false

    /// Takes one line with its end.
    /// - Returns: false when there are too many.
    mutating func receive(_ line: Span<UInt8>) -> Bool {
        received += line.count
        guard received <= Self.limit else { return false }
        if Self.isStatusLine(line) {
            // After an informational response comes another head, and only the last one counts.
            lines.removeAll(keepingCapacity: true)
            isComplete = false
        } else if Self.isEmpty(line) {
            isComplete = true
        } else if !isComplete {
            for index in line.indices { lines.append(line[index]) }
        }
        return true
    }

    /// The value of the first header of this name; what follows the head as trailers is never one.
    func value(of name: String) -> String? {
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
            if HeaderRules.equalsIgnoringCase(line[..<colon], name.utf8) { return Self.trimmed(line[line.index(after: colon)...]) }
        }
        return nil
    }

    private static func trimmed(_ value: ArraySlice<UInt8>) -> String {
        let isVisible: (UInt8) -> Bool = { $0 > 0x20 }
        guard let first = value.firstIndex(where: isVisible), let last = value.lastIndex(where: isVisible) else { return "" }
        return String(decoding: value[first...last], as: UTF8.self)
    }

    private static func isStatusLine(_ line: Span<UInt8>) -> Bool {
        line.count > 5 && line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T") && line[2] == UInt8(ascii: "T")
            && line[3] == UInt8(ascii: "P") && line[4] == UInt8(ascii: "/")
    }

    private static func isEmpty(_ line: Span<UInt8>) -> Bool {
        line.count == 0 || line[0] == UInt8(ascii: "\r") || line[0] == UInt8(ascii: "\n")
    }
}
