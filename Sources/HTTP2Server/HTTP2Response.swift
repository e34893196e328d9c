/// A response, rendered once and given to any number of requests.
package struct HTTP2Response: Sendable {
    /// The status code, 200 to 599.
    package let status: Int
    /// The body as it is sent.
    package let body: [UInt8]
    // The names and values one after the other, and how long each of them is.
    let headerBytes: [UInt8]
    let headerCounts: [(name: Int, value: Int)]

    /// Makes a response.
    /// - Parameters:
    ///   - status: 200 to 599; anything else is a programmer's mistake and traps.
    ///   - headers: names in lower case, as RFC 9113 section 8.2 wants it.
    package init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        precondition((200...599).contains(status), "a response's status is 200 to 599")
        self.status = status
        self.body = body
        var bytes: [UInt8] = []
        var counts: [(name: Int, value: Int)] = []
        for line in [(name: ":status", value: String(status))] + headers {
            bytes.append(contentsOf: line.name.utf8)
            bytes.append(contentsOf: line.value.utf8)
            counts.append((line.name.utf8.count, line.value.utf8.count))
        }
        headerBytes = bytes
        headerCounts = counts
    }
}
