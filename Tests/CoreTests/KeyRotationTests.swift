import Core
import Testing

@Suite struct KeyRotationTests {
    private typealias Key = KeyRotation.Key

    /// Keys from a text: `2a` is active, `2v` verify_only, `!` marks an expired key, `^` a revoked one.
    private func keys(_ words: String) -> [Key] {
        words.split(separator: " ").map { word in
            let (isOver, isRevoked) = (word.hasSuffix("!"), word.hasSuffix("^"))
            let text = isOver || isRevoked ? word.dropLast() : word
            return Key(
                id: UInt32(text.dropLast()) ?? 0, state: text.hasSuffix("a") ? .active : .verifyOnly, isOver: isOver, isRevoked: isRevoked)
        }
    }

    @Test(
        arguments: [
            ("1a", .add(2)), ("1a 2v", .activate(2)), ("2v 1a", .activate(2)), ("1v 2a", .retire(1)), ("2a", .add(3)),
            // Both are active, as in a configuration without states.
            ("1a 2a", .activate(2)),
            // No key mints.
            ("1v", .activate(1)), ("1v 2v", .activate(2)),
            // The oldest is removed first.
            ("1v 2v 3a", .retire(1)), ("7a 3v", .retire(3)), ("0a", .add(1)),
            // An expired key is treated as missing, and is removed.
            ("1a! 2a", .retire(1)), ("1a 2v!", .retire(2)), ("1a!", .add(2)), ("1v! 2v", .activate(2)), ("1a! 2v", .activate(2)),
            // A revoked key is never activated, and its number is not reused.
            ("1a 2v^", .add(3)), ("1a 2a^", .add(3)), ("1a^", .add(2)), ("1v 2a^", .activate(1)), ("1a 2v^ 3v", .activate(3)),
            ("1v 2v^ 3a", .retire(1)), ("2v^ 3a", .retire(2)), ("1a^ 2a", .retire(1)), ("1a^ 2v", .activate(2)),
            ("4294967295a", nil), ("4294967294a", .add(.max)),
        ] as [(String, KeyRotation.Step?)])
    func `the next step follows from the keys`(_ words: String, _ step: KeyRotation.Step?) {
        #expect(KeyRotation(keys(words)).next == step)
    }

    /// From any keys, steps lead to one active key and then to a new rotation. A key always mints.
    @Test(arguments: ["1a", "1a 2a", "1v", "1v 2v 3a", "1a! 2v 3v", "5a 9v", "1a^ 2v"])
    func `steps lead to one active key`(_ words: String) throws {
        var current = keys(words)
        var mints = false
        for _ in 0..<8 {
            let rotation = KeyRotation(current)
            let step = try #require(rotation.next)
            switch step {
            case .add(let id): current.append(Key(id: id, state: .verifyOnly, isOver: false))
            case .activate(let id):
                current = current.map {
                    Key(id: $0.id, state: $0.id == id ? .active : .verifyOnly, isOver: $0.isOver, isRevoked: $0.isRevoked)
                }
            case .retire(let id): current.removeAll { $0.id == id }
            }
            #expect(KeyRotation(current).follows(step, rotation))
            #expect(!KeyRotation(keys("77a")).follows(step, rotation))
            let now = current.contains { $0.state == .active && !$0.isOver }
            #expect(now || !mints)
            mints = now
            if case .add = KeyRotation(current).next { break }
        }
        #expect(current.count == 1 && current[0].state == .active)
    }
}
