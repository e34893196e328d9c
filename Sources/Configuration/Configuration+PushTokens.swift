package import Core

extension Configuration {
    /// How devices register for notifications.
    package struct PushTokens: Sendable, Equatable {
        /// How often registrations are taken.
        package var limits: [LimitRule]
        /// The most devices of one person; with one more, the one not seen for longest leaves.
        package var devicesPerUser: Int
        /// How long a device is kept that nobody sees, in days.
        package var forgetAfterDays: Int

        /// Whether both say the same of what only a restart can change.
        func isConfigured(like other: PushTokens) -> Bool {
            devicesPerUser == other.devicesPerUser && forgetAfterDays == other.forgetAfterDays
        }
    }
}
