internal import Threading

extension Connection {
    /// Begins the stream of a request. Trailers do not begin a stream, because their stream is already open.
    func beginStream(_ number: Int32) {
        guard phase == .serving, streams[number] == nil else { return }
        streams[number] = OpenStream()
        let open = streams.count
        context.counts.withLock { $0.maximumStreams = max($0.maximumStreams, open) }
    }

    /// Receives a header. Returns false when the headers of the stream have too many bytes.
    func receiveHeader(_ name: String, _ value: String, stream number: Int32) -> Bool {
        streams[number]?.receive(name: name, value: value) ?? true
    }

    /// Receives a part of the body. Discards bytes beyond the limit.
    func receiveBody(_ part: Span<UInt8>, stream number: Int32) {
        guard let stream = streams[number] else { return }
        let count = min(part.count, context.settings.bodyLimit - stream.body.count)
        if count < part.count { stream.isTruncated = true }
        unsafe part.extracting(first: count).withUnsafeBufferPointer { unsafe stream.body.append(contentsOf: $0) }
    }

    /// Handles a complete request: calls the handler and performs its action.
    func finishRequest(_ number: Int32) {
        // After a fault, ignores requests that arrived in the same bytes, like later requests.
        guard phase == .serving, number <= lastStream, let stream = streams[number], !stream.isComplete else { return }
        stream.isComplete = true
        defer { (stream.headers, stream.body) = ([], []) }
        let request = HTTP2Request(
            method: stream.method, path: stream.path, authority: stream.authority, headers: stream.headers, body: stream.body,
            isTruncated: stream.isTruncated,
            stream: HTTP2Stream(connection: self.number, number: number, inbox: inbox))
        context.counts.update { $0.requests += 1 }
        perform(context.handler(request), stream: number)
    }

    /// Handles the end of a stream, normal or with an error.
    func endStream(_ number: Int32, errorCode: UInt32) {
        guard let stream = streams.removeValue(forKey: number) else { return }
        if !stream.isAnswered || errorCode != 0 { context.counts.update { $0.unanswered += 1 } }
    }

    func takeAnswer(_ number: Int32, limit: Int) -> (bytes: ArraySlice<UInt8>, isLast: Bool) {
        guard let stream = streams[number] else { return ([], true) }
        let part = stream.answer.dropFirst(stream.sent).prefix(limit)
        stream.sent += part.count
        return (part, stream.sent == stream.answer.count)
    }
}

extension Connection {
    /// Performs an action.
    /// - Parameter number: the stream of the action; nil for the whole connection.
    func perform(_ action: HTTP2Action, stream number: Int32?) {
        guard phase == .serving || phase == .stalled else { return }
        // The stream has ended before it was answered.
        if let number, streams[number] == nil { return }
        switch action {
        case .wait: break
        case .respond(let response): respond(response, number)
        case .after(let milliseconds, let action):
            guard let number else { return }
            loop.schedule(connection: self.number, stream: number, action, milliseconds: milliseconds)
        case .resetStream(let errorCode): if let number { session?.reset(number, errorCode: errorCode) }
        case .goAway(let last, let errorCode, let text):
            lastStream = min(lastStream, streamNumber(of: last, number))
            session?.goAway(lastStream: lastStream, errorCode: errorCode, text: text)
        case .limitStreams(let limit): limitStreams(limit)
        case .stallConnection: phase = .stalled
        case .closeConnection: phase = .closing
        case .resetConnection: reset()
        case .sendGarbage: sendGarbage()
        case .all(let actions): for action in actions { perform(action, stream: number) }
        }
    }

    private func respond(_ response: HTTP2Response, _ number: Int32?) {
        guard let number, let stream = streams[number], !stream.isAnswered else { return }
        stream.isAnswered = true
        stream.answer = response.body
        session?.respond(number, response)
    }

    private func streamNumber(of last: HTTP2Action.LastStream, _ number: Int32?) -> Int32 {
        switch last {
        case .none: 0
        case .this: number ?? session?.lastStream ?? 0
        // Streams opened by clients have odd numbers.
        case .previous: max((number ?? session?.lastStream ?? 0) - 2, 0)
        case .all: session?.lastStream ?? 0
        }
    }

    private func limitStreams(_ limit: Int) {
        guard limit != streamLimit else { return }
        streamLimit = limit
        session?.limitStreams(limit)
    }
}
