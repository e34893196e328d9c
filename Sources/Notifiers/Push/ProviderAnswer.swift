internal import Core

/// What a provider's answer means: for the delivery, and for the adapter that carries it.
struct ProviderAnswer: Sendable, Equatable {
    /// What came of the try, unless `step` leads to another answer.
    let outcome: DeliveryOutcome
    /// What the adapter does first, or beside; nil when there is nothing.
    let step: NextStep?

    /// Makes an answer.
    init(_ outcome: DeliveryOutcome, step: NextStep? = nil) {
        self.outcome = outcome
        self.step = step
    }

    /// Makes an answer of an outcome's parts.
    init(_ verdict: DeliveryOutcome.Verdict, _ reason: String, slowsDown: Bool = false, step: NextStep? = nil) {
        self.init(DeliveryOutcome(verdict, reason: reason, slowsDown: slowsDown), step: step)
    }
}
