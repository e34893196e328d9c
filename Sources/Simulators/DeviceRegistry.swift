internal import Threading

/// The devices that providers know something of, by push token; those that nobody said anything about take everything.
package final class DeviceRegistry: Sendable {
    private let devices = Monitor<[String: SimulatedDevice]>([:])

    /// Makes one that is empty.
    package init() {}

    /// What is known of a token; set it to say something else, or nil to forget it.
    package subscript(token: String) -> SimulatedDevice? {
        get { devices.withLock { $0[token] } }
        set { devices.withLock { $0[token] = newValue } }
    }

    /// Why a provider refuses a push to a token.
    func refusal(of token: String, by provider: SimulatedProvider) -> SimulatedDevice.Refusal? {
        guard let device = self[token] else { return nil }
        if let only = device.provider, only != provider { return .invalid }
        return device.refusal
    }
}
