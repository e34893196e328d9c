/// A handler, lent by the router that owns it: threads that call one handler at once would otherwise all count references to it, and
/// slow each other down.
///
/// It must not be kept for longer than its router lives.
@safe
package struct Endpoint: Sendable {
    /// Keeps a handler for the endpoint that lends it.
    final class Owner: Sendable {
        fileprivate let handler: Handler

        init(_ handler: @escaping Handler) {
            self.handler = handler
        }
    }

    private let owner: Unmanaged<Owner>

    init(_ owner: Owner) {
        unsafe self.owner = Unmanaged.passUnretained(owner)
    }

    /// Lends the handler for one call.
    package func withHandler(_ body: (Handler) -> Void) {
        unsafe owner._withUnsafeGuaranteedRef { body($0.handler) }
    }
}
