/// A handler, lent by the router that owns it: threads that call one handler at once would otherwise all count references to it, and
/// slow each other down.
///
/// It must not be kept for longer than its router lives.
@safe
package struct Endpoint: Sendable {
    /// Keeps a handler, and what is asked before it, for the endpoint that lends them.
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

    /// Why a request is refused before its body is received; nil when it is not.
    package func refusal(of request: borrowing Request) -> Response? {
        unsafe owner._withUnsafeGuaranteedRef { $0.admission.flatMap { admission in admission(request) } }
    }

    /// Lends the handler for one call.
    package func withHandler(_ body: (Handler) -> Void) {
        unsafe owner._withUnsafeGuaranteedRef { body($0.handler) }
    }
}
