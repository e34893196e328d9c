internal import Bytes
internal import Configuration
internal import HTTPServer

struct AdminCaller: Sendable {
    /// The accepted token, by its role and name; nil when none is needed or no valid one was sent.
    let token: (role: AdminToken.Role, name: String)?
    /// The peer's address without its port, which does not identify the peer; `unix` for a Unix socket.
    let peer: String
    /// The author of the change as the token's holder states it, for example a command (`AuthorHeader`). Only the token is proof.
    let statedAuthor: String?
    /// The author as stored with a change: the token's name and the peer's address, then the stated author in parentheses.
    var author: String {
        let proven = token.map { "\($0.name) \(peer)" } ?? peer
        return statedAuthor.map { "\(proven) (\($0))" } ?? proven
    }
    let requestID: String

    init(_ request: borrowing Request, _ token: AdminToken? = nil) {
        self.token = token.map { ($0.role, $0.name) }
        peer = request.peerHost().description
        requestID = request.requestID
        // A client without a valid token cannot write its own text into the log.
        statedAuthor = token == nil ? nil : AuthorHeader.value(in: request)
    }
}

/// The header in which a client with a token names the author of a change.
enum AuthorHeader {
    static let name: StaticString = "Deskgate-Author"

    /// The name in a request's header; nil for anything but a `PlainName`.
    static func value(in request: borrowing Request) -> String? {
        var author: String?
        request.withHeader(name) { value in
            if let value { author = String(decoding: Array(copying: value), as: UTF8.self) }
        }
        return author.flatMap { PlainName.accepts($0) ? $0 : nil }
    }
}
