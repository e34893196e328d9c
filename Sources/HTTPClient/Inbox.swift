internal import Threading

/// What other threads want of the client's thread, and how many requests there are.
final class Inbox: Sendable {
    /// Why a request is not taken.
    enum Refusal {
        case overloaded, closed
    }

    /// What has come since the thread last looked.
    struct Work {
        var submitted: [Transfer] = []
        var cancelled: [Transfer] = []
        var isClosing = false
    }

    private struct State {
        var work = Work()
        var outstanding = 0
        // Waking a thread costs a system call, so only the first who has something for it does.
        var isAwake = false
        var isEnded = false
    }

    private let state = Monitor(State())
    private let multi: MultiHandle
    private let limit: Int

    init(_ multi: MultiHandle, limit: Int) {
        self.multi = multi
        self.limit = limit
    }

    /// Hands over a request.
    /// - Returns: nil when it was taken.
    func submit(_ transfer: Transfer) -> Refusal? {
        state.withLock { state in
            if state.work.isClosing { return .closed }
            guard state.outstanding < limit else { return .overloaded }
            state.outstanding += 1
            state.work.submitted.append(transfer)
            wake(&state)
            return nil
        }
    }

    /// Asks for the end of a request, which may have ended already.
    func cancel(_ transfer: Transfer) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.work.cancelled.append(transfer)
            wake(&state)
        }
    }

    /// Asks for the end of everything; nothing is taken any more.
    func close() {
        state.withLock { state in
            precondition(!state.work.isClosing, "a client is closed once")
            state.work.isClosing = true
            wake(&state)
        }
    }

    /// Whether `close` has been called.
    var isClosing: Bool {
        state.withLock { $0.work.isClosing }
    }

    /// Takes everything that has come; for the client's thread.
    func take() -> Work {
        state.withLock { state in
            defer { state.work = Work(isClosing: state.work.isClosing) }
            state.isAwake = false
            return state.work
        }
    }

    /// Makes room for another request; for the client's thread.
    func finishOne() {
        state.withLock { $0.outstanding -= 1 }
    }

    /// From here on nobody uses the multi handle but the client's thread, which is about to free it.
    func end() {
        state.withLock { $0.isEnded = true }
    }

    // Under the lock, because `end` must not return while somebody is inside.
    private func wake(_ state: inout State) {
        guard !state.isAwake, !state.isEnded else { return }
        state.isAwake = true
        multi.wake()
    }
}
