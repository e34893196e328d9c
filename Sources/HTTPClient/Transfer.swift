internal import Threading
internal import Time

/// One request in progress: the request, what has been received, and its completion.
// Unchecked: created by the sender, handed over under the inbox's lock, and used only by the client's thread after that; other threads only
// compare its identity when they cancel it.
final class Transfer: @unchecked Sendable {
    typealias Completion = @Sendable (Result<ClientResponse, ClientError>) -> Void

    let request: ClientRequest
    /// The owner whose share of the client's requests it uses.
    let owner: ShareOwner
    /// The origin, and within it the owner whose share of the origin's connections it uses.
    let place: ShareOwner
    let deadline: MonotonicMilliseconds
    var easy: EasyHandle?
    /// The engine of the client that runs it, while libcurl runs it.
    var engine: Engine?
    var started: MonotonicMilliseconds = 0

    private var completion: Completion?
    // The local port of the connection that libcurl has selected last.
    private var localPort: Int32 = 0
    private var head = ResponseHead()
    private var body: [UInt8] = []
    private var isTruncated = false
    private var hasTooManyHeaders = false
    // Whether the response is complete although libcurl has not ended the transfer.
    private var isAnswered = false

    init(
        _ request: ClientRequest, for owner: String, to origin: Origin, deadline: MonotonicMilliseconds, completion: @escaping Completion
    ) {
        self.request = request
        self.owner = ShareOwner(owner)
        place = ShareOwner(origin.text, owner)
        self.deadline = deadline
        self.completion = completion
    }

    var isFinished: Bool {
        completion == nil
    }

    /// Calls its completion; only the first call has an effect.
    func finish(_ result: Result<ClientResponse, ClientError>) {
        guard let completion = completion.take() else { preconditionFailure("a transfer finishes once") }
        completion(result)
    }

    /// libcurl has chosen a connection and is about to send the request.
    /// - Returns: false to close the connection and send nothing. Bytes that arrived since its last response would be used as the response
    ///   to this request (RFC 9112 section 9.2), and libcurl 7.88 does not check for them.
    func begin(localPort: Int32) -> Bool {
        guard let sockets = engine?.sockets, let easy else { return false }
        sockets.countRequest()
        self.localPort = localPort
        guard sockets.hasCarriedHTTP1(localPort: localPort) else { return true }
        return sockets.isQuiet(localPort: localPort) && !easy.hasDecryptedInput
    }

    /// Takes a header line; false ends the transfer.
    func receiveHeaderLine(_ line: Span<UInt8>) -> Bool {
        if ResponseHead.isHTTP1StatusLine(line) { engine?.sockets.noteHTTP1(localPort: localPort) }
        hasTooManyHeaders = !head.receive(line)
        if request.needsOnlyHead, !isAnswered, head.isComplete, let easy, easy.status >= 200 {
            isAnswered = true
            engine?.noteAnswered(self)
        }
        return !hasTooManyHeaders
    }

    /// Takes a part of the body; false ends the transfer.
    func receiveBody(_ part: Span<UInt8>) -> Bool {
        if request.needsOnlyHead { return true }
        let count = min(part.count, request.responseBodyLimit - body.count)
        isTruncated = count < part.count
        unsafe part.extracting(first: count).withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
        return !isTruncated
    }

    /// The result of the request when its handle's transfer has ended.
    func result(_ easy: EasyHandle, _ outcome: EasyHandle.Outcome) -> Result<ClientResponse, ClientError> {
        if hasTooManyHeaders { return .failure(.headersTooLarge) }
        var bodyFailure: ClientError?
        if case .failure(let error) = outcome, !isTruncated, !isAnswered {
            guard request.takesPartialBody, head.isComplete, !body.isEmpty else { return .failure(error) }
            bodyFailure = error
        }
        // libcurl treats a connection that ends within the header section like the end of a response without a length.
        guard head.isComplete else { return .failure(.closedEarly) }
        return .success(
            ClientResponse(
                status: easy.status, head: head, body: body, isTruncated: isTruncated, bodyFailure: bodyFailure,
                httpVersion: easy.httpVersion,
                connectMicroseconds: easy.connectMicroseconds, totalMicroseconds: easy.totalMicroseconds))
    }
}

package final class Cancellation: Sendable {
    private let transfer: Transfer
    private let inbox: Inbox

    init(_ transfer: Transfer, _ inbox: Inbox) {
        self.transfer = transfer
        self.inbox = inbox
    }

    /// Ends the request with `.cancelled`, unless it ends otherwise first. Callable from any thread, any number of times; does not wait.
    package func cancel() {
        inbox.cancel(transfer)
    }
}

/// Commands from other threads for the client's thread, and the number of requests.
final class Inbox: Sendable {
    enum Refusal {
        case overloaded, closed
    }

    struct Work {
        var submitted: [Transfer] = []
        var cancelled: [Transfer] = []
        var isClosing = false
    }

    private struct State {
        var work = Work()
        var outstanding: FairQueue<Void>
        // Waking a thread costs a system call, so only the first command after a `take` does.
        var isAwake = false
        var isEnded = false
    }

    private let state: Monitor<State>
    private let multi: MultiHandle

    /// - Parameter bounds: the limits of waiting and running requests, in total and for one owner.
    init(_ multi: MultiHandle, bounds: [ShareBound]) {
        self.multi = multi
        state = Monitor(State(outstanding: FairQueue(bounds)))
    }

    /// Adds a request.
    /// - Returns: nil when it was accepted.
    func submit(_ transfer: Transfer) -> Refusal? {
        state.withLock { state in
            if state.work.isClosing { return .closed }
            guard state.outstanding.begin(transfer.owner) else { return .overloaded }
            state.work.submitted.append(transfer)
            wake(&state)
            return nil
        }
    }

    /// Requests the end of a request, which may have ended already.
    func cancel(_ transfer: Transfer) {
        state.withLock { state in
            guard !state.isEnded else { return }
            state.work.cancelled.append(transfer)
            wake(&state)
        }
    }

    /// Requests the end of all requests; further ones are rejected.
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

    /// Returns all pending commands; only for the client's thread.
    func take() -> Work {
        state.withLock { state in
            defer { state.work = Work(isClosing: state.work.isClosing) }
            state.isAwake = false
            return state.work
        }
    }

    /// Records that a request has ended; only for the client's thread.
    func finish(_ transfer: Transfer) {
        state.withLock { $0.outstanding.finish(transfer.owner) }
    }

    /// From then on only the client's thread uses the multi handle, and may free it.
    func end() {
        state.withLock { $0.isEnded = true }
    }

    // Under the lock, because `end` must not return while another thread is inside.
    private func wake(_ state: inout State) {
        guard !state.isAwake, !state.isEnded else { return }
        state.isAwake = true
        multi.wake()
    }
}
