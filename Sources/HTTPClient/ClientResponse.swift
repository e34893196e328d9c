/// A response as received. A redirect is returned like any other response.
package struct ClientResponse: Sendable {
    package enum HTTPVersion: Sendable, Equatable {
        case http1, http2
    }

    /// The status code of the final response, 200 to 999.
    package let status: Int
    /// The body, up to the request's limit.
    package let body: [UInt8]
    /// Whether the body exceeded the limit and was truncated.
    package let isTruncated: Bool
    /// The reason why the body is incomplete, if the request accepts incomplete bodies; nil when it is complete or was truncated at the
    /// limit.
    package let bodyFailure: ClientError?
    package let httpVersion: HTTPVersion
    /// The time, in microseconds from the start of the transfer, at which the connection was established; almost 0 on a reused connection.
    package let connectMicroseconds: Int
    /// The duration of the transfer in microseconds, without the time in the queue.
    package let totalMicroseconds: Int
    private let head: ResponseHead

    init(
        status: Int, head: ResponseHead, body: [UInt8], isTruncated: Bool, bodyFailure: ClientError?, httpVersion: HTTPVersion,
        connectMicroseconds: Int, totalMicroseconds: Int
    ) {
        self.status = status
        self.head = head
        self.body = body
        self.isTruncated = isTruncated
        self.bodyFailure = bodyFailure
        self.httpVersion = httpVersion
        self.connectMicroseconds = connectMicroseconds
        self.totalMicroseconds = totalMicroseconds
    }

    /// Returns the value of the first header with this name, compared without regard to case, and without surrounding white space; nil when
    /// there is none.
    ///
    /// Invalid UTF-8 is replaced, so two different values can become equal.
    package func header(_ name: String) -> String? {
        head.value(of: name)
    }

    /// Returns the values of all headers with this name in order, in the same form as `header`.
    package func headers(_ name: String) -> [String] {
        head.values(of: name)
    }
}

/// The header lines of a response, collected as they arrive and searched on demand.
struct ResponseHead: Sendable {
    /// The maximum number of bytes of header lines, including those of informational responses and trailers.
    static let limit = 64 * 1024

    private var lines: [UInt8] = []
    private var received = 0
    /// Whether the empty line at the end of the head has arrived.
    private(set) var isComplete = false

    /// Adds one line, including its line end.
    /// - Returns: false when the limit is exceeded.
    mutating func receive(_ line: Span<UInt8>) -> Bool {
        received += line.count
        guard received <= Self.limit else { return false }
        if Self.isStatusLine(line) {
            // After an informational response, another head follows. Only the last head is kept.
            lines.removeAll(keepingCapacity: true)
            isComplete = false
        } else if Self.isEmpty(line) {
            isComplete = true
        } else if !isComplete {
            for index in line.indices { lines.append(line[index]) }
        }
        return true
    }

    /// Returns the value of the first header with this name. Trailers are not searched.
    func value(of name: String) -> String? {
        values(of: name).first
    }

    /// Returns the values of all headers with this name, in order.
    func values(of name: String) -> [String] {
        lines.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), HeaderRules.equalsIgnoringCase(line[..<colon], name.utf8) else {
                return nil
            }
            return Self.trimmed(line[line.index(after: colon)...])
        }
    }

    private static func trimmed(_ value: ArraySlice<UInt8>) -> String {
        let isVisible: (UInt8) -> Bool = { $0 > 0x20 }
        guard let first = value.firstIndex(where: isVisible), let last = value.lastIndex(where: isVisible) else { return "" }
        return String(decoding: value[first...last], as: UTF8.self)
    }

    /// Whether a line is the status line of HTTP/1.0 or 1.1.
    static func isHTTP1StatusLine(_ line: Span<UInt8>) -> Bool {
        isStatusLine(line) && line[5] == UInt8(ascii: "1")
    }

    private static func isStatusLine(_ line: Span<UInt8>) -> Bool {
        line.count > 5 && line[0] == UInt8(ascii: "H") && line[1] == UInt8(ascii: "T") && line[2] == UInt8(ascii: "T")
            && line[3] == UInt8(ascii: "P") && line[4] == UInt8(ascii: "/")
    }

    private static func isEmpty(_ line: Span<UInt8>) -> Bool {
        line.count == 0 || line[0] == UInt8(ascii: "\r") || line[0] == UInt8(ascii: "\n")
    }
}
