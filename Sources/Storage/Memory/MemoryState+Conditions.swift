internal import Core

extension MemoryState {
    mutating func raise(_ condition: OperatorCondition, incoming: IncomingEvent?, rules: MemoryRules) -> Bool {
        guard conditions[condition.key] == nil else { return false }
        conditions[condition.key] = condition
        if let incoming { announce(incoming, rules) }
        return true
    }

    mutating func clear(_ key: OperatorCondition.Key, incoming: IncomingEvent?, rules: MemoryRules) -> Bool {
        guard conditions.removeValue(forKey: key) != nil else { return false }
        if let incoming { announce(incoming, rules) }
        return true
    }
}
