/// The way to end one request early.
package final class Cancellation: Sendable {
    private let transfer: Transfer
    private let inbox: Inbox

    init(_ transfer: Transfer, _ inbox: Inbox) {
        self.transfer = transfer
        self.inbox = inbox
    }

    /// Has the request end with `.cancelled`, unless it ends otherwise first. From any thread, any number of times; does not wait.
    package func cancel() {
        inbox.cancel(transfer)
    }
}
