internal import Bytes
internal import Configuration
internal import HTTPServer

struct AdminCaller: Sendable {
    /// The token that was sent, by its role and name; nil where none is needed.
    let token: (role: AdminToken.Role, name: String)?
    /// The peer's address without its port, which says nothing about who it is; `unix` for a Unix socket.
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
        // A stranger writes nothing of their own into the log.
        statedAuthor = token == nil ? nil : AuthorHeader.value(in: request)
    }
}

/// The header with which the holder of a token says who makes a change.
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
