extension Connection {
    /// Does something.
    /// - Parameter number: the stream that it is about; nil when it is about the connection alone.
    func perform(_ action: HTTP2Action, stream number: Int32?) {
        guard phase == .serving || phase == .stalled else { return }
        // A late answer to what has ended.
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
        // Streams of clients have odd numbers.
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
