/// How long ended deliveries are remembered.
package struct Retention: Sendable, Equatable {
    /// Delivered ones, in milliseconds.
    package var deliveredMilliseconds: UInt64
    /// Dead ones, in milliseconds.
    package var deadMilliseconds: UInt64
}
