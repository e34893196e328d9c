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
