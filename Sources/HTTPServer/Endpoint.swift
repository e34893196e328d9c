/// A handler, borrowed from the router that owns it. Without this, threads that call the same handler would contend for its reference
/// count.
///
/// It must not outlive its router.
@safe
package struct Endpoint: Sendable {
    /// Owns a handler and its admission check for the endpoints that borrow them.
    final class Owner: Sendable {
        fileprivate let handler: Handler
        fileprivate let admission: Admission?

        init(_ handler: @escaping Handler, admission: Admission?) {
            self.handler = handler
            self.admission = admission
        }
    }

    private let owner: Unmanaged<Owner>

    init(_ owner: Owner) {
        unsafe self.owner = Unmanaged.passUnretained(owner)
    }

    /// The answer that refuses a request before its body is received; nil to receive it.
    package func refusal(of request: borrowing Request) -> Response? {
        unsafe owner._withUnsafeGuaranteedRef { $0.admission.flatMap { admission in admission(request) } }
    }

    package func withHandler(_ body: (Handler) -> Void) {
        unsafe owner._withUnsafeGuaranteedRef { body($0.handler) }
    }
}
