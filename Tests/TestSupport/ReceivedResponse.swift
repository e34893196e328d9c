/// A response received by a test.
package struct ReceivedResponse: Equatable {
    package let status: Int
    /// Header names in lower case, with their values.
    package let headers: [String: String]
    package let body: [UInt8]

    /// Creates a response, for clients without a socket.
    package init(status: Int, headers: [String: String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The body as text. Invalid UTF-8 is repaired, so tests of exact bytes use `body`.
    package var text: String {
        String(decoding: body, as: UTF8.self)
    }

    /// Parses a response at the front of `bytes`.
    /// - Returns: the response and its length in bytes, or nil when it is incomplete.
    static func parse(_ bytes: [UInt8], hasBody: Bool) throws -> (ReceivedResponse, consumed: Int)? {
        let separator = Array("\r\n\r\n".utf8)
        let end = bytes.indices.first { bytes[$0] == separator[0] && bytes[$0...].starts(with: separator) }
        guard let end else { return nil }
        let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ")
        guard words.count >= 2, words[0] == "HTTP/1.1" || words[0] == "HTTP/1.0", let status = Int(words[1]) else {
            throw SocketClient.Failure.malformed(String(lines[0]))
        }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw SocketClient.Failure.malformed(String(line)) }
            headers[line[..<colon].lowercased()] = String(line[line.index(after: colon)...].drop { $0 == " " })
        }
        let length = status < 200 || !hasBody ? 0 : Int(headers["content-length"] ?? "0") ?? 0
        let start = end + separator.count
        guard bytes.count >= start + length else { return nil }
        return (ReceivedResponse(status: status, headers: headers, body: Array(bytes[start..<start + length])), start + length)
    }
}
