/// How long ended deliveries and idle devices are kept, all in milliseconds.
package struct Retention: Sendable, Equatable {
    /// Delivered deliveries.
    package var deliveredMilliseconds: UInt64
    /// Dead deliveries.
    package var deadMilliseconds: UInt64
    /// Devices that nothing has been heard of.
    package var idleDeviceMilliseconds: UInt64
    /// How long after its arrival an event is delivered at most.
    package var eventLifeMilliseconds: UInt64

    /// Sets the periods, in milliseconds.
    package init(
        deliveredMilliseconds: UInt64, deadMilliseconds: UInt64, idleDeviceMilliseconds: UInt64, eventLifeMilliseconds: UInt64 = 86_400_000
    ) {
        self.deliveredMilliseconds = deliveredMilliseconds
        self.deadMilliseconds = deadMilliseconds
        self.idleDeviceMilliseconds = idleDeviceMilliseconds
        self.eventLifeMilliseconds = eventLifeMilliseconds
    }
}
