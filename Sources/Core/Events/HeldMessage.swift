/// A message that is held because the help desk has not named its conversation's customer yet.
///
/// It is stored as an event of the kind `message.held` with one delivery, whose attempts ask the help desk again. So it survives a restart,
/// only one replica asks at a time, and it expires with its event.
package enum HeldMessage {
    /// The notifier whose attempts ask. It is Deskgate's own: no name in a configuration has a colon.
    package static let notifier = "owner:lookup"
    /// The one subscription of such an event. The messages of a conversation wait for each other, so that they are delivered in order.
    package static let subscription = Subscription(notifier: notifier, keepsOrder: true)
}
