/// One stream as it arrives and is answered. Belongs to its connection, and with it to its loop's thread.
final class OpenStream {
    /// The most bytes of headers.
    static let headerLimit = 64 * 1024

    var method = ""
    var path = ""
    var authority = ""
    var headers: [(name: String, value: String)] = []
    var headerBytes = 0
    var body: [UInt8] = []
    var isTruncated = false
    /// Whether the request has been handed to the handler.
    var isComplete = false
    /// Whether an answer has been given to nghttp2.
    var isAnswered = false
    /// The response's body and how much of it nghttp2 has taken.
    var answer: [UInt8] = []
    var sent = 0

    /// Takes one header; false when there are too many.
    func receive(name: String, value: String) -> Bool {
        headerBytes += name.utf8.count + value.utf8.count + 32
        guard headerBytes <= Self.headerLimit else { return false }
        switch name {
        case ":method": method = value
        case ":path": path = value
        case ":authority": authority = value
        case let name where name.utf8.first == UInt8(ascii: ":"): break
        default: headers.append((name, value))
        }
        return true
    }
}
