internal import Core

/// One try of a delivery on its way through one or more requests.
///
/// It is a value that each request hands to the next, so that it needs no lock.
struct PushTry: Sendable {
    // The device may well be at home in the environment that the key is not for.
    private static let unreachable = DeliveryOutcome(.dead, reason: "key_not_for_environment")

    /// Told of the end, once.
    typealias Completion = @Sendable (DeliveryOutcome) -> Void
    /// Writes the message within a limit of bytes, at a time in Unix milliseconds.
    typealias Render = @Sendable (_ limit: Int, _ now: UInt64) throws(PushPayloadError) -> PushMessage

    /// Whom it is for; nil when it only proves a credential.
    let device: Device?
    /// When its time is over, in milliseconds of the clock that only goes forward.
    let deadline: UInt64
    /// Which of the provider's environments is asked.
    private(set) var route: Int
    /// What the environment before said; nil while the first is asked.
    private(set) var firstRefusal: DeliveryOutcome?

    private let render: Render
    private let completion: Completion
    private var limit = PushNotification.largestPayload
    private var taken: [NextStep] = []

    init(for device: Device?, route: Int, deadline: UInt64, render: @escaping Render, completion: @escaping Completion) {
        self.device = device
        self.route = route
        self.deadline = deadline
        self.render = render
        self.completion = completion
    }

    /// The message as it is to be sent now.
    func message(nowMilliseconds now: UInt64) throws(PushPayloadError) -> PushMessage {
        try render(limit, now)
    }

    /// The same try after a step that sends again; nil when it was taken before.
    func taking(_ step: NextStep) -> PushTry? {
        guard !taken.contains(step) else { return nil }
        var next = self
        next.taken.append(step)
        if step == .shorten { next.limit = PushNotification.shortenedPayload }
        return next
    }

    /// The same try in the next of so many environments, because this one has refused; nil when there is none that was not asked.
    func switching(of count: Int, after refusal: DeliveryOutcome) -> PushTry? {
        guard count > 1, firstRefusal == nil else { return nil }
        var next = self
        next.route = (route + 1) % count
        next.firstRefusal = refusal
        return next
    }

    /// Tells the end, with what is known of the device.
    func end(_ outcome: DeliveryOutcome) {
        guard let device, case .deviceGone(let since) = outcome.verdict else { return completion(outcome) }
        if firstRefusal?.verdict == .misconfigured { return completion(Self.unreachable) }
        // The app has registered since: the answer is about an earlier life of the token, and the comment is for this one.
        if let since, since <= device.seenAt {
            return completion(DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: outcome.reason, isAboutDevice: true))
        }
        completion(outcome)
    }
}
