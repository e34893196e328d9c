/// One stream of one connection, named so that it can be answered later. Keeping it keeps nothing open.
package struct HTTP2Stream: Sendable {
    /// The number of its connection: from 0, in the order in which the server accepted them.
    package let connection: Int
    /// Its number on the connection, RFC 9113 section 5.1.1.
    package let number: Int32
    private let inbox: LoopInbox

    init(connection: Int, number: Int32, inbox: LoopInbox) {
        self.connection = connection
        self.number = number
        self.inbox = inbox
    }

    /// Does something about it soon; nothing when it has ended by then. From any thread; does not wait.
    package func perform(_ action: HTTP2Action) {
        inbox.post(.perform(connection: connection, stream: number, action))
    }
}
