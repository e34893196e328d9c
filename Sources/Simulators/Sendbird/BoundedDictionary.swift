/// Values by name, with a capacity beyond which the oldest one is evicted. Names are compared by their bytes.
struct BoundedDictionary<Value> {
    private let capacity: Int
    private var values: [[UInt8]: Value] = [:]
    /// The names in order of insertion, as a ring.
    private var names: [[UInt8]] = []
    private var oldest = 0

    /// - Parameter capacity: positive.
    init(capacity: Int) {
        self.capacity = capacity
    }

    subscript(name: String) -> Value? { values[Array(name.utf8)] }

    mutating func set(_ value: Value, for name: String) {
        let key = Array(name.utf8)
        guard values.updateValue(value, forKey: key) == nil else { return }
        if names.count < capacity { return names.append(key) }
        values[names[oldest]] = nil
        names[oldest] = key
        oldest = (oldest + 1) % capacity
    }

    /// Changes a value in place.
    /// - Returns: nil for an unknown name.
    mutating func change<Result>(_ name: String, _ change: (inout Value) -> Result) -> Result? {
        guard let index = values.index(forKey: Array(name.utf8)) else { return nil }
        return change(&values.values[index])
    }
}
