package import Time

extension Moment {
    /// The moment of a number that a test has counted or drawn.
    package init(_ number: some BinaryInteger) { self.init(rawValue: UInt64(number)) }
}
