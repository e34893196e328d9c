/// When SQLite waits for the disk, <https://www.sqlite.org/pragma.html#pragma_synchronous>.
package enum Synchronous: String, Sendable {
    /// At each commit: what was committed survives a loss of power.
    case full = "FULL"
    /// With a write-ahead log at checkpoints only: a loss of power may take the last commits, and harms nothing else.
    case normal = "NORMAL"
}
