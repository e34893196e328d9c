package import Time

extension Moment {
    /// Creates a time from a counted or random number.
    package init(_ number: some BinaryInteger) { self.init(rawValue: UInt64(number)) }
}
