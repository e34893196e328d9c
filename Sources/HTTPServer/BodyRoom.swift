internal import Synchronization

/// The memory that all large bodies of one server may use together. Beyond it requests are refused, so that many large bodies do not
/// exhaust the machine's memory.
///
/// The first 16 KiB of each body are not counted: the limit of connections also limits them.
final class BodyRoom: Sendable {
    private let total: Int
    private let free: Atomic<Int>

    /// - Parameter bytes: the total.
    init(bytes: Int) {
        total = bytes
        free = Atomic(bytes)
    }

    /// The number of bytes in use; briefly higher while a request is rejected.
    var taken: Int { total - free.load(ordering: .relaxed) }

    /// Takes `bytes` if that many are left; false otherwise. The caller must return them with `giveBack`.
    func take(_ bytes: Int) -> Bool {
        guard free.subtract(bytes, ordering: .relaxed).newValue < 0 else { return true }
        giveBack(bytes)
        return false
    }

    /// Returns bytes taken earlier.
    func giveBack(_ bytes: Int) {
        free.add(bytes, ordering: .relaxed)
    }
}
