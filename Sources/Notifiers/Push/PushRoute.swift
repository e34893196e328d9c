/// One environment of a provider.
struct PushRoute: Sendable {
    /// Scheme, host and port.
    let url: String
    /// Its name, as devices are remembered with whose token it has taken.
    let environment: String
    /// Who may send; nil lets all.
    let gate: ConnectionGate?

    /// Names an environment.
    init(url: String, environment: String, gate: ConnectionGate? = nil) {
        self.url = url
        self.environment = environment
        self.gate = gate
    }
}
