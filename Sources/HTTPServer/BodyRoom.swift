internal import Synchronization

/// The bytes that all large bodies of one server may have together, so that many of them at once are refused instead of filling the machine.
///
/// The first 16 KiB of each are not counted: the number of connections bounds them.
final class BodyRoom: Sendable {
    private let free: Atomic<Int>

    /// - Parameter bytes: how many there are.
    init(bytes: Int) {
        free = Atomic(bytes)
    }

    /// Takes `bytes`, if there are that many; what was taken must be given back.
    func take(_ bytes: Int) -> Bool {
        guard free.subtract(bytes, ordering: .relaxed).newValue < 0 else { return true }
        giveBack(bytes)
        return false
    }

    /// Gives back what was taken.
    func giveBack(_ bytes: Int) {
        free.add(bytes, ordering: .relaxed)
    }
}
