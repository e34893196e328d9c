/// Values by name, at most so many: where there is one too many, the oldest is forgotten. Names are compared by their bytes.
struct BoundedDictionary<Value> {
    private let capacity: Int
    private var values: [[UInt8]: Value] = [:]
    /// The names in the order in which they came, as a ring.
    private var names: [[UInt8]] = []
    private var oldest = 0

    /// - Parameter capacity: positive.
    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(name: String) -> Value? { values[Array(name.utf8)] }

    /// Adds a value, or replaces the one of that name.
    mutating func set(_ value: Value, for name: String) {
        let key = Array(name.utf8)
        guard values.updateValue(value, forKey: key) == nil else { return }
        if names.count < capacity { return names.append(key) }
        values[names[oldest]] = nil
        names[oldest] = key
        oldest = (oldest + 1) % capacity
    }

    /// Changes a value in place.
    /// - Returns: nil when there is none of that name.
    mutating func change<Result>(_ name: String, _ change: (inout Value) -> Result) -> Result? {
        guard let index = values.index(forKey: Array(name.utf8)) else { return nil }
        return change(&values.values[index])
    }
}
