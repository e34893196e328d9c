internal import Core
internal import Time

/// One attempt of a delivery, which may take several requests.
///
/// This type is a value that each request passes to the next one, so it needs no lock.
struct PushAttempt: Sendable {
    typealias Completion = @Sendable (DeliveryOutcome) -> Void
    /// Renders the message in at most `limit` bytes for the current time.
    typealias Render = @Sendable (_ limit: Int, _ now: UnixMilliseconds) throws(PushPayloadError) -> PushMessage

    /// The device that is notified; nil when the attempt only proves a credential.
    let device: Device?
    let deadline: MonotonicMilliseconds
    /// The index of the provider's environment that receives the next request.
    private(set) var environment: Int
    /// The rejection by the first environment; nil before the attempt switches to another one.
    private(set) var firstRefusal: DeliveryOutcome?

    private let render: Render
    private let completion: Completion
    private var limit = PushNotification.largestPayload
    private var taken: [NextStep] = []

    init(
        for device: Device?, environment: Int, deadline: MonotonicMilliseconds, render: @escaping Render,
        completion: @escaping Completion
    ) {
        self.device = device
        self.environment = environment
        self.deadline = deadline
        self.render = render
        self.completion = completion
    }

    /// Renders the message for a request at this time.
    func message(now: UnixMilliseconds) throws(PushPayloadError) -> PushMessage {
        try render(limit, now)
    }

    /// Returns the attempt after a step that sends again; nil if the step was already taken.
    func taking(_ step: NextStep) -> PushAttempt? {
        guard !taken.contains(step) else { return nil }
        var next = self
        next.taken.append(step)
        if step == .shorten { next.limit = PushNotification.shortenedPayload }
        return next
    }

    /// Returns the attempt in the next environment after a rejection; nil if no other environment is left.
    /// - Parameter count: the provider's number of environments. An attempt uses at most two.
    func switching(of count: Int, after refusal: DeliveryOutcome) -> PushAttempt? {
        guard count > 1, firstRefusal == nil else { return nil }
        var next = self
        next.environment = (environment + 1) % count
        next.firstRefusal = refusal
        return next
    }

    /// Ends the attempt with an outcome, corrected by the known state of the device.
    func end(_ outcome: DeliveryOutcome) {
        guard let device, case .deviceGone(let since) = outcome.verdict else { return completion(outcome) }
        // The token is kept, because the device may belong to the environment that the key is not valid for.
        if firstRefusal?.verdict == .misconfigured {
            return completion(DeliveryOutcome(.dead, reason: NotifierReason.keyNotForEnvironment.rawValue))
        }
        // The token is kept, because the app has registered it again since the provider invalidated it.
        if let since, since <= device.seenAt {
            return completion(DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: outcome.reason, isAboutDevice: true))
        }
        completion(outcome)
    }
}

/// One request of an attempt, from its admission to its response.
struct PushFlight: Sendable {
    let attempt: PushAttempt
    /// Whether other requests wait for the result of this one.
    let isProbe: Bool
    /// Returns the gate's permission. Must be called exactly once.
    let leave: @Sendable (ConnectionGate.Finding) -> Void
    var bearer = PushBearer.none
}
