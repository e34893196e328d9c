package import Core

extension Store {
    package func accept(_ incoming: IncomingEvent, completion: @escaping @Sendable (Result<Acceptance, StoreError>) -> Void) {
        accept(incoming, telling: .nobody, completion: completion)
    }

    /// Registers a device, or signs it out.
    package func register(_ registration: Registration, completion: @escaping @Sendable (Result<Registration.Outcome, StoreError>) -> Void)
    {
        register(registration, telling: .nobody, completion: completion)
    }

    package func work(_ finished: [FinishedAttempt], _ claims: [Claim]) throws(StoreError) -> [Result<Claimed, StoreError>] {
        try work(finished, claims, telling: .nobody)
    }
}
