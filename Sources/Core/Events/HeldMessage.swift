/// A message that cannot be delivered yet, because the help desk has not reported whose conversation it belongs to.
///
/// It is stored as an event of the kind `message.held` with one delivery, whose attempts query the help desk. So it survives a restart,
/// only one of the processes that share a store queries at a time, and it ends with the life of its event.
package enum HeldMessage {
    /// The notifier whose attempts query the help desk. It is internal: no configured name contains a colon.
    package static let notifier = "owner:lookup"
    /// The only subscription of such an event. It keeps the order, so that messages of a conversation are delivered in their order.
    package static let subscription = Subscription(notifier: notifier, keepsOrder: true)
}
