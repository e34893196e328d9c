/// The position of a part of a value.
struct ValuePath: Sendable {
    private enum Step {
        case member(String)
        case item(Int)
    }

    private var steps: [Step] = []

    mutating func enter(member name: String) { steps.append(.member(name)) }

    mutating func enter(item index: Int) { steps.append(.item(index)) }

    /// Returns to the parent of the last entered part.
    mutating func leave() { steps.removeLast() }

    /// The form in a sentence, such as `items[2].count`; empty for the whole value.
    var text: String {
        steps.reduce(into: "") { text, step in
            switch step {
            case .member(let name): text += (text.isEmpty ? "" : ".") + JSONSchema.shown(name)
            case .item(let index): text += "[\(index)]"
            }
        }
    }
}

extension JSONSchema.Violation {
    /// Composes the message from the part's path and its mistake.
    init(_ path: ValuePath, _ words: String) {
        let place = path.text
        self.init(path: place, description: "\(place.isEmpty ? "the value" : place) \(words)")
    }
}
