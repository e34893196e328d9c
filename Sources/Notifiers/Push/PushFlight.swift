/// One request of a try, from the permission to send it to its answer.
struct PushFlight: Sendable {
    /// What it belongs to.
    let attempt: PushTry
    /// Whether others wait for what comes of it.
    let isProbe: Bool
    /// Gives the permission back; called exactly once.
    let leave: @Sendable (ConnectionGate.Finding) -> Void
    /// What it was authorized with.
    var bearer = PushBearer.none
}
