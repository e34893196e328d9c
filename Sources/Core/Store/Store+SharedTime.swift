package import Time

extension Store {
    /// Converts a moment of this machine's clock to the clock that all processes with this store share: the store's own, if it has one.
    /// Does not block.
    ///
    /// Unlike stores' conversions it has no tolerance, because the result is compared in whole seconds: the bound of a sign-out, set by one
    /// process, with the time of issue of a key or an access token, set by another.
    package func sharedTime(of moment: UnixMilliseconds) -> UnixMilliseconds {
        clockOffsetMilliseconds.map { moment.advanced(by: $0) } ?? moment
    }
}
