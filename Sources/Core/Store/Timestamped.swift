package import Time

/// A value with times of this machine's clock, which a store with its own clock converts.
///
/// A conversion changes a copy, so no property can be lost. `TimestampedTests` detects a property that a type does not convert; an enum's
/// switch has no `default`, so the compiler reports a new case.
package protocol Timestamped {
    /// Replaces each time of this machine's clock. Times of other clocks, such as a help desk's or a provider's, are not changed.
    mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds)
}

extension Timestamped {
    /// Returns a converted copy.
    package func converted(_ convert: (UnixMilliseconds) -> UnixMilliseconds) -> Self {
        var copy = self
        copy.convertTimes(convert)
        return copy
    }
}

extension UnixMilliseconds: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) { self = convert(self) }
}

extension Optional: Timestamped where Wrapped: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) { self = map { $0.converted(convert) } }
}

extension Array: Timestamped where Element: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) { self = map { $0.converted(convert) } }
}
