/// Decides what happens to each part of a request's body. A pure state machine, so that limits apply equally to declared and chunked
/// bodies.
///
/// A refused body is still read and discarded up to `drainLimit`, because closing a connection with unread data resets it, and the client
/// might never see why it was refused.
struct BodyReception {
    enum Start {
        /// Continue; parts will follow.
        case receive
        /// Answer now and close: there is too much to discard, or the client waits for 100 Continue.
        case refuse
    }

    enum Step: Equatable {
        case store
        case discard
        /// Close the connection: `drainLimit` is exceeded.
        case abort
    }

    /// The maximum number of bytes that are read only to be discarded.
    static let drainLimit: UInt64 = 8 * 1024 * 1024

    private(set) var isTooLarge = false
    private var received: UInt64 = 0
    private let limit: UInt64

    /// Begins a request.
    /// - Parameter limit: the largest body in bytes that is kept; 0 when the request will be refused in any case.
    init(limit: Int) {
        self.limit = UInt64(limit)
    }

    /// Decides on the headers.
    /// - Parameters:
    ///   - declaredLength: the Content-Length, nil for a chunked body.
    ///   - expectsContinue: the client waits for 100 (RFC 9110 section 10.1.1).
    ///     - isRefused: the request will be refused in any case.
    mutating func begin(declaredLength: UInt64?, expectsContinue: Bool, isRefused: Bool) -> Start {
        if let declaredLength, declaredLength > limit { isTooLarge = true }
        guard isTooLarge || isRefused else { return .receive }
        return expectsContinue || (declaredLength ?? 0) > Self.drainLimit ? .refuse : .receive
    }

    /// Decides on the next part of `count` bytes.
    mutating func add(_ count: Int) -> Step {
        received += UInt64(count)
        if received > limit { isTooLarge = true }
        if received > limit + Self.drainLimit { return .abort }
        return isTooLarge ? .discard : .store
    }
}
