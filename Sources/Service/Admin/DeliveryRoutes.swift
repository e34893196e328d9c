internal import Core
internal import HTTPServer
internal import Threading

/// What was sent where, why it failed, and again: the deliveries on the operators' listener.
///
/// The store is asked on a thread of its own, while the connection is suspended.
final class DeliveryRoutes: Sendable {
    private static let bodyLimit = 16 * 1024
    private static let waitingLimit = 64
    private static let timeoutMilliseconds: UInt64 = 60_000

    private static let overloaded = Response.error(
        503, "overloaded", "Too many questions wait for the store; try again.", headers: [("Retry-After", "1")])

    private let state: LiveStateHolder
    private let store: any Store
    private let clocks: Clocks
    private let onRetry: @Sendable () -> Void
    private let worker: DeliveryWorker

    /// Starts the thread; `stop` must be called, after the listener has stopped and before the store is closed.
    /// - Parameter onRetry: called on that thread when deliveries have been made pending again, before the answer.
    /// - Throws: when the system has no room for the thread.
    init(
        state: LiveStateHolder, store: any Store, clocks: Clocks, onRetry: @escaping @Sendable () -> Void
    ) throws(ThreadError) {
        self.state = state
        self.store = store
        self.clocks = clocks
        self.onRetry = onRetry
        worker = try DeliveryWorker(limit: Self.waitingLimit)
    }

    /// Answers what waits, and ends the thread. Call it once.
    func stop() {
        worker.stop()
    }

    var routes: [Route] {
        [
            Route(
                "/v1/deliveries",
                [
                    (.get, handler { request throws(DeliveryMistake) in try DeliveryQuery(request.queryItems()).list() }),
                    (.delete, handler { request throws(DeliveryMistake) in try DeliveryQuery(request.queryItems()).purge() }),
                ]),
            Route("/v1/deliveries/:id", [(.get, handler { request in Self.id(of: request).map { .show($0) } })]),
            Route(
                "/v1/deliveries/:id/retry", bodyLimit: Self.bodyLimit,
                [(.post, handler { request in Self.id(of: request).map { .retryOne($0) } })]),
            Route(
                "/v1/deliveries/retry", bodyLimit: Self.bodyLimit,
                [
                    (
                        .post,
                        handler { request throws(DeliveryMistake) in
                            try request.withBody { body throws(DeliveryMistake) in try DeliveryRetryBody.action(body) }
                        }
                    )
                ]),
        ]
    }

    /// Makes a handler of what reads the action out of a request; nil is an id that no delivery can have.
    private func handler(
        _ read: @escaping @Sendable (borrowing Request) throws(DeliveryMistake) -> DeliveryAction?
    ) -> Handler {
        { [self] request, responder in
            if let refusal = BearerToken(state.current.adminToken).refusal(of: request) { return responder.respond(refusal) }
            do throws(DeliveryMistake) {
                guard let action = try read(request) else { return responder.respond(Response(DeliveryAnswer.unknown)) }
                return answer(action, responder)
            } catch {
                return responder.respond(.error(400, "malformed", error.message))
            }
        }
    }

    private func answer(_ action: DeliveryAction, _ responder: consuming Responder) -> Answered {
        responder.respondLater(timeoutMilliseconds: Self.timeoutMilliseconds) { pending in
            let box = PendingBox(pending)
            if !worker.submit({ [self] in box.respond(response(to: action)) }) { box.respond(Self.overloaded) }
        }
    }

    private func response(to action: DeliveryAction) -> Response {
        let desk = DeliveryDesk(
            store: store, now: clocks.unixMilliseconds(), lifeMilliseconds: state.current.eventLifeMilliseconds)
        do throws(StoreError) {
            let answer = try desk.perform(action)
            if answer.retriedCount > 0 { onRetry() }
            return Response(answer)
        } catch {
            return .error(503, error.kind.rawValue, error.description, headers: [("Retry-After", "1")])
        }
    }

    private static func id(of request: borrowing Request) -> UUIDv7? {
        request.withPathParameter { parameter in
            var text: [UInt8] = []
            for index in parameter.indices { text.append(parameter[index]) }
            return String(validating: text, as: UTF8.self).flatMap { UUIDv7($0) }
        }
    }
}

extension Response {
    fileprivate convenience init(_ answer: DeliveryAnswer) {
        self.init(status: answer.status, json: answer.json, headers: [("Cache-Control", "no-store")])
    }
}
