internal import Core
internal import Time

/// One attempt of a delivery, which may take several requests.
///
/// It is a value that each request hands to the next, so it needs no lock.
struct PushAttempt: Sendable {
    typealias Completion = @Sendable (DeliveryOutcome) -> Void
    /// Writes the message in at most `limit` bytes, at a time.
    typealias Render = @Sendable (_ limit: Int, _ now: UnixMilliseconds) throws(PushPayloadError) -> PushMessage

    /// The device that is notified; nil when the attempt only proves a credential.
    let device: Device?
    let deadline: MonotonicMilliseconds
    /// The index of the provider's environment that is asked.
    private(set) var environment: Int
    /// The refusal of the environment that was asked first; nil while that one is asked.
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

    /// Writes the message for a request at this time.
    func message(now: UnixMilliseconds) throws(PushPayloadError) -> PushMessage {
        try render(limit, now)
    }

    /// This attempt after a step that sends again; nil when the step was taken before.
    func taking(_ step: NextStep) -> PushAttempt? {
        guard !taken.contains(step) else { return nil }
        var next = self
        next.taken.append(step)
        if step == .shorten { next.limit = PushNotification.shortenedPayload }
        return next
    }

    /// This attempt in the next environment, after a refusal; nil when all have been asked.
    /// - Parameter count: how many environments the provider has; at most two are asked.
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
        // The device may belong to the environment that the key is not for, so its token is kept.
        if firstRefusal?.verdict == .misconfigured {
            return completion(DeliveryOutcome(.dead, reason: NotifierReason.keyNotForEnvironment.rawValue))
        }
        // The app has registered the token again since it ended, so the refusal may be out of date and the token is kept.
        if let since, since <= device.seenAt {
            return completion(DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: outcome.reason, isAboutDevice: true))
        }
        completion(outcome)
    }
}

/// One request of an attempt, from the permission to send it to its response.
struct PushFlight: Sendable {
    let attempt: PushAttempt
    /// Whether other requests wait for this one's result.
    let isProbe: Bool
    /// Returns the permission; must be called exactly once.
    let leave: @Sendable (ConnectionGate.Finding) -> Void
    var bearer = PushBearer.none
}
