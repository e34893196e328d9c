package import Core
internal import HTTPServer
package import Threading
package import Time

/// Makes handlers of what reads an operator's wish out of a request.
///
/// The store is asked on a thread of its own, while the connection is suspended.
package final class AdminHandlers: Sendable {
    /// The largest body.
    static let bodyLimit = 16 * 1024
    private static let waitingLimit = 64
    private static let timeoutMilliseconds: UInt64 = 60_000

    private static let overloaded = Response.error(
        503, "overloaded", "Too many questions wait for the store; try again.", headers: [("Retry-After", "1")])

    private let gate: AdminGate
    private let store: any Store
    private let clocks: Clocks
    private let holds: @Sendable () -> [String: String]
    private let onWork: @Sendable () -> Void
    private let onGivenUp: @Sendable (_ count: Int, _ notifier: String) -> Void
    private let worker: AdminWorker

    /// Starts the thread; `stop` must be called, after the listener has stopped and before the store is closed.
    /// - Parameters:
    ///   - holds: why nothing starts for a notifier just now, by its name.
    ///   - onGivenUp: told on that thread how many deliveries of which notifier were given up.
    ///   - onWork: called on that thread when deliveries may be due that were not, before the answer.
    /// - Throws: when the system has no room for the thread.
    package init(
        gate: AdminGate, store: any Store, clocks: Clocks, holds: @escaping @Sendable () -> [String: String] = { [:] },
        onGivenUp: @escaping @Sendable (_ count: Int, _ notifier: String) -> Void = { _, _ in }, onWork: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        self.gate = gate
        self.store = store
        self.clocks = clocks
        self.holds = holds
        self.onGivenUp = onGivenUp
        self.onWork = onWork
        worker = try AdminWorker(limit: Self.waitingLimit)
    }

    /// Answers what waits, and ends the thread. Call it once.
    package func stop() {
        worker.stop()
    }

    /// Makes a handler, which demands the admin token; nil is an id that nothing can have.
    func handler(
        _ read: @escaping @Sendable (borrowing Request) throws(AdminMistake) -> (any AdminAction)?
    ) -> Handler {
        { [self] request, responder in
            if let refusal = gate.refusal(of: request) { return responder.respond(refusal) }
            do throws(AdminMistake) {
                guard let action = try read(request) else { return responder.respond(Response(AdminAnswer.unknown)) }
                return answer(action, AdminCaller(request), responder)
            } catch {
                return responder.respond(.error(400, "malformed", error.message))
            }
        }
    }

    private func answer(_ action: any AdminAction, _ caller: AdminCaller, _ responder: consuming Responder) -> Answered {
        responder.respondLater(timeoutMilliseconds: Self.timeoutMilliseconds) { pending in
            let box = PendingBox(pending)
            if !worker.submit({ [self] in box.respond(response(to: action, caller)) }) { box.respond(Self.overloaded) }
        }
    }

    private func response(to action: any AdminAction, _ caller: AdminCaller) -> Response {
        let state = gate.state.current
        let desk = AdminDesk(
            store: store, now: clocks.unixMilliseconds(), registryAudience: state.registryAudience,
            lifeMilliseconds: state.eventLifeMilliseconds, names: state.names, authorizer: state.authorizer, holds: holds(),
            onGivenUp: onGivenUp)
        do throws(StoreError) {
            let answer = try action.perform(on: desk)
            if answer.makesWork { onWork() }
            if let change = action.change { gate.audit(change, outcome: answer.outcome, answer.counts, by: caller) }
            return Response(answer)
        } catch {
            if let change = action.change { gate.audit(change, outcome: error.kind.rawValue, [], by: caller) }
            return .error(503, error.kind.rawValue, error.description, headers: [("Retry-After", "1")])
        }
    }
}

extension Response {
    fileprivate convenience init(_ answer: AdminAnswer) {
        self.init(status: answer.status, json: answer.json, headers: [("Cache-Control", "no-store")])
    }
}
