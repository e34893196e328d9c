import HTTPServer
import TestSupport
import Threading

/// Clients that continuously post webhooks to a server that may be killed at any time, and record the accepted ones.
final class WebhookLoad: Sendable {
    private struct State {
        var address: ListenAddress?
        var nextComment: Int64 = 1
        var accepted: Set<Int64> = []
        var isDone = false
    }

    private let state = Monitor(State())
    private let threads: Monitor<[DedicatedThread]>

    init(clients: Int) {
        let state = state
        threads = Monitor((0..<clients).map { _ in startThread { Self.postUntilDone(state) } })
    }

    deinit {
        stop()
    }

    /// The comments whose event the server has accepted.
    var accepted: Set<Int64> { state.withLock { $0.accepted } }

    /// Sets the server's address for the clients; nil when it is gone.
    func use(_ address: ListenAddress?) {
        state.update { $0.address = address }
    }

    /// Waits until `count` more events have been accepted.
    func waitForMore(_ count: Int) -> Bool {
        let goal = accepted.count + count
        return state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.accepted.count >= goal ? true : nil } != nil
    }

    /// Ends the clients; clients with a running request wait for its end.
    func stop() {
        state.update { $0.isDone = true }
        for thread in threads.takeAll() { thread.join() }
    }

    /// The help desk repeats webhooks without a response.
    private static func postUntilDone(_ state: Monitor<State>) {
        var unanswered: Int64?
        while case let address?? = state.wait({ $0.isDone ? .some(nil) : $0.address.map(Optional.some) }) {
            guard let client = try? SocketClient(address) else { continue }
            repeat {
                let comment = unanswered ?? takeComment(state)
                unanswered = comment
                guard let answer = try? WebhookSite.post(comment, client), answer == "accepted" || answer == "duplicate" else { break }
                unanswered = nil
                state.update { _ = $0.accepted.insert(comment) }
            } while !state.withLock(\.isDone)
        }
    }

    private static func takeComment(_ state: Monitor<State>) -> Int64 {
        state.withLock { state in
            state.nextComment += 1
            return state.nextComment
        }
    }
}
