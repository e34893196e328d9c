package import Bytes

/// The owner's callbacks for limits on a server's connections and bodies. Called on any thread; must not block.
package struct ConnectionPressure: Sendable {
    /// Whether the connections from an address have no limit of their own.
    package var isUnbounded: @Sendable (IPAddress) -> Bool
    /// Called for each connection beyond a limit.
    package var onReachedBound: @Sendable (ReachedBound) -> Void
    /// Called once, when connections are answered 503 because the process has no file descriptor left.
    package var onDescriptorShortage: @Sendable () -> Void

    /// Called with the peer for each request that is answered 503 because its body has no room.
    package var onBodyWithoutRoom: @Sendable (String) -> Void

    /// By default every address is limited, and nothing is reported.
    package init(
        isUnbounded: @escaping @Sendable (IPAddress) -> Bool = { _ in false },
        onReachedBound: @escaping @Sendable (ReachedBound) -> Void = { _ in }, onDescriptorShortage: @escaping @Sendable () -> Void = {},
        onBodyWithoutRoom: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.isUnbounded = isUnbounded
        self.onReachedBound = onReachedBound
        self.onDescriptorShortage = onDescriptorShortage
        self.onBodyWithoutRoom = onBodyWithoutRoom
    }
}

/// A reached limit on connections.
package struct ReachedBound: Sendable, Equatable {
    /// The caller whose own limit is reached, for IPv6 the first address of its /48; nil for the server's limit.
    package let caller: IPAddress?
    /// Whether the new connection is rejected, because no other one was idle; otherwise an idle one was closed.
    package let isRefused: Bool

    /// Describes the limit of a caller, or of the server.
    package init(of caller: IPAddress?, isRefused: Bool) {
        self.caller = caller
        self.isRefused = isRefused
    }
}
