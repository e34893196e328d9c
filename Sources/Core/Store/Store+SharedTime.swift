package import Time

extension Store {
    /// A moment of this machine's clock by the clock that all processes with this store share: the store's own, if it has one. Does not
    /// block.
    ///
    /// It has none of the tolerance with which stores convert moments, because it is compared in whole seconds: the bound of a sign-out,
    /// which one process sets, with the time of issue of a key or an access token, which another one sets.
    package func sharedTime(of moment: UnixMilliseconds) -> UnixMilliseconds {
        clockOffsetMilliseconds.map { moment.advanced(by: $0) } ?? moment
    }
}
