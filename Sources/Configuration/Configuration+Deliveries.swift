extension Configuration {
    /// How long events and deliveries are worth something.
    package struct Deliveries: Sendable, Equatable {
        /// How long after its arrival an event is delivered at most, in seconds.
        package var expireAfterSeconds: Int
        /// How long what has been delivered is remembered, in days.
        package var keepDeliveredDays: Int
        /// How long what could not be delivered is remembered, in days.
        package var keepDeadDays: Int
    }
}
