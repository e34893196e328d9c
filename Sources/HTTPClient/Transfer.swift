internal import Threading
internal import Time

/// One request on its way: what it asked for, what has arrived, and whom to tell.
// Unchecked: made by the sender, then handed over through the inbox's lock, and from there on touched by the client's thread alone; other
// threads keep it only to name it when they cancel.
final class Transfer: @unchecked Sendable {
    /// Told of the result, once.
    typealias Completion = @Sendable (Result<ClientResponse, ClientError>) -> Void

    let request: ClientRequest
    let origin: Origin
    /// When the time is over.
    let deadline: MonotonicMilliseconds
    /// Its handle while libcurl has it.
    var easy: EasyHandle?
    /// When libcurl got it.
    var started: MonotonicMilliseconds = 0

    private var completion: Completion?
    private var head = ResponseHead()
    private var body: [UInt8] = []
    private var isTruncated = false
    private var hasTooManyHeaders = false

    init(_ request: ClientRequest, origin: Origin, deadline: MonotonicMilliseconds, completion: @escaping Completion) {
        self.request = request
        self.origin = origin
        self.deadline = deadline
        self.completion = completion
    }

    /// Whether its end has been told.
    var isFinished: Bool {
        completion == nil
    }

    /// Tells its end; once.
    func finish(_ result: Result<ClientResponse, ClientError>) {
        guard let completion = completion.take() else { preconditionFailure("a transfer finishes once") }
        completion(result)
    }

    /// Takes a header line; false ends the transfer.
    func receiveHeaderLine(_ line: Span<UInt8>) -> Bool {
        hasTooManyHeaders = !head.receive(line)
        return !hasTooManyHeaders
    }

    /// Takes a part of the body; false ends the transfer.
    func receiveBody(_ part: Span<UInt8>) -> Bool {
        let count = min(part.count, request.responseBodyLimit - body.count)
        isTruncated = count < part.count
        unsafe part.extracting(first: count).withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
        return !isTruncated
    }

    /// What the end of its handle's transfer means for the request.
    func result(_ easy: EasyHandle, _ outcome: EasyHandle.Outcome) -> Result<ClientResponse, ClientError> {
        if hasTooManyHeaders { return .failure(.headersTooLarge) }
        if case .failure(let error) = outcome, !isTruncated { return .failure(error) }
        return .success(
            ClientResponse(
                status: easy.status, head: head, body: body, isTruncated: isTruncated, httpVersion: easy.httpVersion,
                connectMicroseconds: easy.connectMicroseconds, totalMicroseconds: easy.totalMicroseconds))
    }
}

/// The way to end one request early.
package final class Cancellation: Sendable {
    private let transfer: Transfer
    private let inbox: Inbox

    init(_ transfer: Transfer, _ inbox: Inbox) {
        self.transfer = transfer
        self.inbox = inbox
    }

    /// Has the request end with `.cancelled`, unless it ends otherwise first. From any thread, any number of times; does not wait.
    package func cancel() {
        inbox.cancel(transfer)
    }
}

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
