import HTTPServer
import TestSupport
import Threading

/// Clients that continuously request authorization with keys whose results never change, and record unexpected responses.
final class AuthorizeLoad: Sendable {
    private struct State {
        var right = 0
        var wrong: [String] = []
        var isDone = false
    }

    private let state = Monitor(State())
    private let threads: Monitor<[DedicatedThread]>

    /// - Parameter questions: keys for `Markers.user` of an app, each with the expected status.
    init(_ address: ListenAddress, _ questions: [(key: String, app: String, status: Int)]) {
        let state = state
        threads = Monitor(questions.map { question in startThread { Self.askUntilDone(address, question: question, state: state) } })
    }

    deinit {
        stop()
    }

    /// Waits until `count` more requests have got the expected response.
    /// - Returns: false if one got another response.
    func waitForMore(_ count: Int) -> Bool {
        let goal = state.withLock { $0.right } + count
        return state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { state -> Bool? in
            guard state.wrong.isEmpty else { return false }
            return state.right >= goal ? true : nil
        } ?? false
    }

    /// Ends the clients.
    /// - Returns: the unexpected responses.
    @discardableResult
    func stop() -> [String] {
        state.update { $0.isDone = true }
        for thread in threads.takeAll() { thread.join() }
        return state.withLock { $0.wrong }
    }

    private static func askUntilDone(
        _ address: ListenAddress, question: (key: String, app: String, status: Int), state: Monitor<State>
    ) {
        do {
            let client = try SocketClient(address)
            var isDone = false
            while !isDone {
                let status = try client.authorize(question.key, app: question.app).status
                isDone = state.update { state in
                    if status == question.status { state.right += 1 } else { state.wrong.append("\(question.app): \(status)") }
                    return state.isDone
                }
            }
        } catch {
            state.update { $0.wrong.append("\(question.app): \(error)") }
        }
    }
}

extension Monitor<[DedicatedThread]> {
    /// The threads, which the caller joins; none the next time.
    func takeAll() -> [DedicatedThread] {
        withLock { threads in
            defer { threads = [] }
            return threads
        }
    }
}
