internal import Core

/// What is needed to do what operators want of the store.
package struct AdminDesk: Sendable {
    let store: any Store
    /// Unix milliseconds.
    let now: UInt64
    /// How long what is tried again is worth something.
    let lifeMilliseconds: UInt64
}
