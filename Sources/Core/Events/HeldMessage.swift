/// A message that cannot be delivered yet, because the owner of its conversation is still unknown.
///
/// The message is stored as a `message.held` event with one delivery, whose attempts query the help desk. It is therefore kept after a
/// restart, only one of the processes that share a store queries at a time, and it expires with its event.
package enum HeldMessage {
    /// The notifier whose attempts query the help desk. It is internal: no configured name contains a colon.
    package static let notifier = "owner:lookup"
    /// The only subscription of such an event. Its deliveries are made in order, so that the messages of a conversation arrive in order.
    package static let subscription = Subscription(notifier: notifier, keepsOrder: true)
}
