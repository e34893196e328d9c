package import Time

extension Store {
    /// Converts a moment of this machine's clock to the clock that all processes with this store share: the store's clock, if it has one.
    /// Does not block.
    ///
    /// Unlike the conversions in stores, this conversion has no tolerance, because its result is compared in whole seconds: the bound of a
    /// sign-out, set by one process, with the issue time of a key or an access token, set by another process.
    package func sharedTime(of moment: UnixMilliseconds) -> UnixMilliseconds {
        clockOffsetMilliseconds.map { moment.advanced(by: $0) } ?? moment
    }
}
