/// How long ended deliveries and idle devices are remembered.
package struct Retention: Sendable, Equatable {
    /// Delivered ones, in milliseconds.
    package var deliveredMilliseconds: UInt64
    /// Dead ones, in milliseconds.
    package var deadMilliseconds: UInt64
    /// Devices that nobody sees, in milliseconds.
    package var idleDeviceMilliseconds: UInt64
    /// How long an event is delivered at most, in milliseconds.
    package var eventLifeMilliseconds: UInt64

    /// Says how long; all in milliseconds.
    package init(
        deliveredMilliseconds: UInt64, deadMilliseconds: UInt64, idleDeviceMilliseconds: UInt64, eventLifeMilliseconds: UInt64 = 86_400_000
    ) {
        self.deliveredMilliseconds = deliveredMilliseconds
        self.deadMilliseconds = deadMilliseconds
        self.idleDeviceMilliseconds = idleDeviceMilliseconds
        self.eventLifeMilliseconds = eventLifeMilliseconds
    }
}
