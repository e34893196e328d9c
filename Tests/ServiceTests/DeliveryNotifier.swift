import Core
import TestSupport
import Testing
import Threading
import Time

/// A notifier that answers as the test says, at once or when it is told to.
final class DeliveryNotifier: Notifier {
    private struct State {
        var answer: DeliveryOutcome?
        var started: [Delivery] = []
        var held: [(id: UUIDv7, completion: @Sendable (DeliveryOutcome) -> Void)] = []
        var maximumHeld = 0
    }

    let preservesTicketOrder: Bool
    let concurrency: Int
    let retryPolicy = RetryPolicy.webhook
    let probeIntervalMilliseconds: UInt64?
    private let state: Monitor<State>

    /// - Parameter answer: of every try; without one, tries wait for `end`.
    init(
        _ answer: DeliveryOutcome? = nil, concurrency: Int = 4, preservesTicketOrder: Bool = false, probeIntervalMilliseconds: UInt64? = nil
    ) {
        self.probeIntervalMilliseconds = probeIntervalMilliseconds
        self.concurrency = concurrency
        self.preservesTicketOrder = preservesTicketOrder
        state = Monitor(State(answer: answer))
    }

    /// The tries in their order.
    var started: [Delivery] { state.withLock { $0.started } }

    /// The most tries that waited at once.
    var maximumHeld: Int { state.withLock { $0.maximumHeld } }

    /// Answers later tries like this; nil has them wait.
    func answer(_ outcome: DeliveryOutcome?) {
        state.update { $0.answer = outcome }
    }

    /// Waits until so many tries have begun; false when they have not in the time that only a failing test uses up.
    func waitForTries(_ count: Int) -> Bool {
        state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.started.count >= count ? true : nil } != nil
    }

    /// Ends the try that has waited longest, of which there must be one.
    func end(_ outcome: DeliveryOutcome) {
        let held = state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }
        guard let held else {
            Issue.record("no try waits for its end")
            return
        }
        held.completion(outcome)
    }

    func deliver(_ delivery: Delivery, completion: @escaping @Sendable (DeliveryOutcome) -> Void) {
        let answer = state.update { state in
            state.started.append(delivery)
            if state.answer == nil { state.held.append((delivery.id, completion)) }
            state.maximumHeld = max(state.maximumHeld, state.held.count)
            return state.answer
        }
        if let answer { completion(answer) }
    }
}

extension DeliveryOutcome {
    static let arrived = DeliveryOutcome(.delivered, reason: "arrived")
    static let busy = DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: "busy")
    static let deviceGone = DeliveryOutcome(.deviceGone(since: 1), reason: "unregistered")
    static let gone = DeliveryOutcome(.misconfigured, reason: "gone")

    static let unasked = [
        DeliveryOutcome(.delivered, reason: "superseded", calledReceiver: false),
        DeliveryOutcome(.dead, reason: "no_device", calledReceiver: false),
        DeliveryOutcome(.deviceGone(since: nil), reason: "invalid_token", calledReceiver: false), .noKey,
    ]
    static let noKey = DeliveryOutcome(
        .retry(retryAfterMilliseconds: 30_000), reason: "no_key", isAboutDevice: true, calledReceiver: false)

    /// An answer that asks for a time of rest.
    static func later(_ milliseconds: UInt64, requestsBackoff: Bool = false, isAboutDevice: Bool = false) -> DeliveryOutcome {
        DeliveryOutcome(
            .retry(retryAfterMilliseconds: milliseconds), reason: "later", requestsBackoff: requestsBackoff, isAboutDevice: isAboutDevice)
    }
}
