import Core
import TestSupport
import Testing

/// The result is 400 exactly when the grammar requires it, and 200 exactly for a minted key, over random changes of valid credentials.
@Suite struct GrammarPropertyTests {
    private static let inserted: [Unicode.Scalar] = [
        "a", "A", "Z", "9", "-", "_", ".", "=", "+", "/", " ", "\u{0}", "\t", "\n", "\u{1F}", "\u{7F}", "\u{80}", "\u{85}", "\u{E9}",
        "\u{301}", "\u{430}", "\u{200D}", "\u{2028}", "\u{D7FF}", "\u{E000}", "\u{FEFF}", "\u{FFFF}", "\u{1F98A}", "\u{10FFFF}",
    ]
    private static let userIDs = ["u", "user-42", String(repeating: "u", count: 100), String(repeating: "🦊", count: 50), "e\u{301}"]
    private static let appIDs = ["shop", String(repeating: "b", count: 255), "магазин"]

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `is malformed exactly when the grammar requires it`(seed: UInt64) throws {
        let authorizer = try Authorizer(Self.appIDs.map { try Samples.application($0, keys: 1) })
        var generator = SeededGenerator(seed: seed)
        var counts: [Int: Int] = [:]
        for round in 0..<1000 {
            let original = try Samples.triple(generator.element(of: Self.appIDs), generator.element(of: Self.userIDs))
            let changed = change(original, &generator)
            let verdict = authorizer.authorize(changed, now: Samples.now).verdict
            counts[verdict.status, default: 0] += 1
            #expect(Self.fault(verdict) == Self.expectedFault(changed), "round \(round)")
            #expect((verdict.status == 200) == (changed == original), "round \(round)")
        }
        // Each of the three results must have occurred often enough.
        #expect(counts.keys.sorted() == [200, 400, 403])
        #expect(counts.values.allSatisfy { $0 >= 10 })
    }

    private static func fault(_ verdict: Verdict) -> [String]? {
        guard case .malformed(let error) = verdict else { return nil }
        return [error.field.name, error.problem.rawValue]
    }

    private static func expectedFault(_ triple: Triple) -> [String]? {
        GrammarPredicate.fault(
            appID: String(decoding: triple.appID, as: UTF8.self), userID: String(decoding: triple.userID, as: UTF8.self),
            securityKey: String(decoding: triple.securityKey, as: UTF8.self)
        ).map { [$0.field, $0.reason] }
    }

    private func change(_ triple: Triple, _ generator: inout SeededGenerator) -> Triple {
        var changed = triple
        for _ in 0..<Int.random(in: 1...2, using: &generator) {
            let field = generator.element(of: CredentialField.allCases)
            var scalars = Array(String(decoding: changed[field], as: UTF8.self).unicodeScalars)
            change(&scalars, &generator)
            changed[field] = Array(String(String.UnicodeScalarView(scalars)).utf8)
        }
        return changed
    }

    private func change(_ scalars: inout [Unicode.Scalar], _ generator: inout SeededGenerator) {
        let place = Int.random(in: 0...scalars.count, using: &generator)
        let scalar = generator.element(of: Self.inserted)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: scalars.insert(scalar, at: place)
        case 1 where place < scalars.count: scalars[place] = scalar
        case 2 where place < scalars.count: scalars.remove(at: place)
        case 3: scalars.removeSubrange(place...)
        case 4: scalars.append(contentsOf: repeatElement(scalar, count: Int.random(in: 1...20, using: &generator)))
        case 5: scalars = Array(repeating: scalar, count: generator.element(of: [0, 1, 49, 50, 51, 89, 99, 100, 101, 127, 128, 255, 256]))
        case 6 where place < scalars.count: scalars.swapAt(0, place)
        default: scalars.reverse(place...)
        }
    }
}

extension [Unicode.Scalar] {
    fileprivate mutating func reverse(_ range: PartialRangeFrom<Int>) {
        self[range].reverse()
    }
}
