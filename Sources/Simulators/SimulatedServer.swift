internal import Crypto
internal import HTTP2Server

/// One simulated provider on one port: its rules, and the faults that take precedence over them.
package final class SimulatedServer: Sendable {
    package let provider: SimulatedProvider
    private let listener: HTTP2Listener

    init(
        _ provider: SimulatedProvider, _ settings: HTTP2Settings, faults: FaultScript, recorder: PushRecorder, rules: any SimulatorRules
    ) throws(HTTP2Error) {
        self.provider = provider
        listener = try HTTP2Listener(
            settings, opening: { _ in faults.opening(of: provider) },
            handler: { request in
                let fault = faults.next(provider, rules.subject(of: request))
                return Self.react(to: request, fault, rules: rules, recorder: recorder)
            })
    }

    package var port: UInt16 { listener.port }

    /// The URL that replaces the provider's scheme and host: `https://127.0.0.1:PORT`.
    package var url: String { "https://127.0.0.1:\(listener.port)" }

    /// The number of accepted connections.
    package var connectionCount: Int { listener.counts.accepted }
    package var openConnections: Int { listener.counts.open }
    /// The number of complete requests, including rejected ones.
    package var requestCount: Int { listener.counts.requests }
    /// The maximum number of streams that were open on one connection at the same time.
    package var maximumStreams: Int { listener.counts.maximumStreams }

    /// Waits until `count` complete requests have been received.
    /// - Returns: false on timeout.
    package func waitForRequests(_ count: Int, milliseconds: UInt64 = 120_000) -> Bool {
        listener.wait(milliseconds: milliseconds) { $0.requests >= count }
    }

    /// Applies a fault's effect to every open connection now; effects on a single request are skipped.
    package func interrupt(_ fault: Fault.Effect) {
        listener.performOnConnections(Self.action(fault, answering: .wait))
    }

    /// Call it once.
    package func stop() {
        listener.stop()
    }

    private static func react(
        to request: HTTP2Request, _ fault: Fault?, rules: any SimulatorRules, recorder: PushRecorder
    ) -> HTTP2Action {
        guard let fault else { return answer(rules.answer(request), recorder) }
        let action: HTTP2Action =
            switch fault.effect {
            case .answer(let refusal): rules.refusal(refusal, request).action
            // Only with these faults do the rules still answer the request, so that they may accept its push.
            case .delay, .goAway, .limitStreams: Self.action(fault.effect, answering: answer(rules.answer(request), recorder))
            default: Self.action(fault.effect, answering: .wait)
            }
        return fault.delayMilliseconds > 0 ? .after(milliseconds: fault.delayMilliseconds, action) : action
    }

    private static func answer(_ answer: SimulatorAnswer, _ recorder: PushRecorder) -> HTTP2Action {
        if let push = answer.push { recorder.record(push) }
        return answer.action
    }

    private static func action(_ effect: Fault.Effect, answering answer: HTTP2Action) -> HTTP2Action {
        switch effect {
        case .answer, .delay: answer
        case .stallStream: .wait
        case .stallConnection: .stallConnection
        case .resetStream(let code): .resetStream(errorCode: UInt32(clamping: code))
        case .resetConnection: .resetConnection
        case .closeConnection: .closeConnection
        case .garbage: .sendGarbage
        case .limitStreams(let limit): .all([.limitStreams(limit), answer])
        case .goAway(.abrupt, let reason): .all([.goAway(lastStream: .previous, text: reason), .closeConnection])
        case .goAway(.this, let reason): .all([.goAway(lastStream: .this, text: reason), answer])
        case .goAway(.all, let reason): .all([.goAway(lastStream: .all, text: reason), answer])
        }
    }
}
