/// A message of a help desk about which nobody can be told yet, because the help desk has not said whose conversation it is.
///
/// It is stored as an event of the kind `message.held` with one delivery, whose attempts ask the help desk again. So it survives the end of
/// the process, one of the processes that share a store asks at a time, and it ends with the life of its event.
package enum HeldMessage {
    /// The notifier whose attempts ask. It is Deskgate's own: no name in a configuration has a colon.
    package static let notifier = "owner:lookup"
    /// The one subscription of such an event. The messages of a conversation wait for each other, so that they are told of in their order.
    package static let subscription = Subscription(notifier: notifier, keepsOrder: true)
}
