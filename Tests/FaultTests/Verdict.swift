import Core

struct Verdict {
    let accepted: Int
    let refused: Int
    let repeated: Int
    let delivered: Int
    let deliveredTwice: Int
    /// The longest interval between two accepted calls of one replica, including the fault, in milliseconds.
    let longestGap: UInt64
    /// The longest time until all replicas had accepted calls again after the fault, in milliseconds.
    let acceptsAfter: UInt64
    /// The broken guarantees, each with an example.
    let broken: [String]

    /// Evaluates a record after all pending deliveries have been delivered.
    init(_ state: AcceptanceRecord.State) {
        let ids = state.delivered.mapValues { Set($0.keys) }
        accepted = state.accepted.count
        (refused, repeated) = (state.refused, state.repeated)
        delivered = state.delivered.count
        deliveredTwice = state.delivered.values.count { $0.values.contains { $0 > 1 } }
        (longestGap, acceptsAfter) = (state.longestGap, state.acceptsAfter)
        var broken = state.broken
        let lost = state.accepted.keys.filter { ids[$0] == nil }
        if let example = lost.min() { broken.append("\(lost.count) accepted comments were lost, such as \(example)") }
        let renamed = state.accepted.filter { number, id in ids[number].map { $0 != [id.delivery(0)] } ?? false }
        if let example = renamed.keys.min() {
            broken.append("\(renamed.count) comments were delivered under several ids, such as \(example)")
        }
        for (user, count) in state.allowed where count > Load.limit {
            broken.append("\(user) has registered \(count) times where \(Load.limit) are allowed")
        }
        for (user, denied) in state.denied where state.asked[user, default: 0] - denied < Load.limit {
            broken.append("\(user) was denied a registration after \(state.asked[user, default: 0] - denied)")
        }
        self.broken = broken
    }
}
