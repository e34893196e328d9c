import Core
import TestSupport
import Testing
import Threading
import Time

/// A notifier that returns scripted outcomes, at once or when the test calls `end`.
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

    /// - Parameter answer: the outcome of every attempt; nil makes attempts wait for `end`.
    init(
        _ answer: DeliveryOutcome? = nil, concurrency: Int = 4, preservesTicketOrder: Bool = false, probeIntervalMilliseconds: UInt64? = nil
    ) {
        self.probeIntervalMilliseconds = probeIntervalMilliseconds
        self.concurrency = concurrency
        self.preservesTicketOrder = preservesTicketOrder
        state = Monitor(State(answer: answer))
    }

    /// The started attempts, in order.
    var started: [Delivery] { state.withLock { $0.started } }

    /// The largest number of attempts that waited at the same time.
    var maximumHeld: Int { state.withLock { $0.maximumHeld } }

    /// Sets the outcome of later attempts; nil makes them wait for `end`.
    func answer(_ outcome: DeliveryOutcome?) {
        state.update { $0.answer = outcome }
    }

    /// Waits until `count` attempts have begun. Returns false at the time limit, which only a failing test reaches.
    func waitForTries(_ count: Int) -> Bool {
        state.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.started.count >= count ? true : nil } != nil
    }

    /// Ends the attempt that has waited longest. One must wait.
    func end(_ outcome: DeliveryOutcome) {
        let held = state.withLock { $0.held.isEmpty ? nil : $0.held.removeFirst() }
        guard let held else {
            Issue.record("no attempt waits for its outcome")
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

    /// An outcome whose response sets the time of the next attempt.
    static func later(_ milliseconds: UInt64, requestsBackoff: Bool = false, isAboutDevice: Bool = false) -> DeliveryOutcome {
        DeliveryOutcome(
            .retry(retryAfterMilliseconds: milliseconds), reason: "later", requestsBackoff: requestsBackoff, isAboutDevice: isAboutDevice)
    }
}
