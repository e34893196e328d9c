package import Core

/// Makes the event that tells of a change in the registry. It is called in the middle of a transaction, perhaps twice for one change, so it must
/// neither block nor call the store. Nil when nobody is to be told.
package typealias RegistryAnnouncer = @Sendable (RegistryChange) -> Arrival?
