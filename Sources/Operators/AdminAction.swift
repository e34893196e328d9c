package import Core

/// Something that an operator wants of the store. Commands send it to the admin listener of a running service, which reads the same action out of
/// the request; without one they do it themselves.
package protocol AdminAction: Sendable {
    /// The request that means it.
    var request: AdminRequest { get }

    /// What it changes, as the log's audit lines name it; nil when it only looks.
    var change: String? { get }

    /// Does it, and says what came of it in the form of the admin listener; blocks as the store does.
    func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer
}
