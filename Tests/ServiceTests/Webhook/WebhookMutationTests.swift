import Core
import Crypto
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Mutated bodies.
@Suite struct WebhookMutationTests {
    private static let kinds: [JSONValue] = [
        nil, true, 0, -1, .integer(.max), .real(1.5), "", "MARKER", "1", [], [nil], [:], ["MARKER": "MARKER"],
    ]

    /// Parses a body completely, and renders the result.
    /// - Returns: the error's message.
    private func read(_ body: [UInt8]) -> String? {
        do throws(WebhookError) {
            guard let comment = try WebhookParser(body.span).comment() else { return nil }
            let event = Event(
                comment, id: UUIDv7(milliseconds: 1, random: InlineArray(repeating: 0)), receivedAt: 1, lifetimeMilliseconds: 1)
            #expect(throws: Never.self) { _ = try JSONDocument(parsing: event.data.span).value() }
            return nil
        } catch {
            return error.message
        }
    }

    @Test(arguments: [WebhookBody.json(), WebhookBody.nested()])
    func `may have any value anywhere`(_ body: [UInt8]) throws {
        let value = try JSONDocument(parsing: body.span).value()
        var refused = 0
        for variant in Self.variants(of: value) {
            guard let message = read(variant.serialized()) else { continue }
            refused += 1
            #expect(!message.contains("MARKER"))
        }
        #expect(refused > 80)
    }

    @Test(arguments: [WebhookBody.json(), WebhookBody.nested()])
    func `may have any byte anywhere`(_ body: [UInt8]) {
        var generator = SeededGenerator(seed: 20_260_310)
        for _ in 0..<3000 {
            var mutated = body
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: mutated.indices, using: &generator)
                switch Int.random(in: 0...2, using: &generator) {
                case 0: mutated[index] = UInt8.random(in: 0...255, using: &generator)
                case 1: mutated.remove(at: index)
                default: mutated.insert(mutated[Int.random(in: mutated.indices, using: &generator)], at: index)
                }
            }
            _ = read(mutated)
        }
        for count in body.indices { #expect(read(Array(body.prefix(count))) != nil) }
    }

    /// The value with each of its parts replaced by a value of each kind, and removed.
    private static func variants(of value: JSONValue) -> [JSONValue] {
        var variants = kinds
        switch value {
        case .object(let object):
            for member in object.members {
                variants.append(.object(replacing(member.key, in: object, by: nil)))
                variants += Self.variants(of: member.value).map { .object(replacing(member.key, in: object, by: $0)) }
            }
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                for variant in Self.variants(of: element) {
                    var changed = elements
                    changed[index] = variant
                    variants.append(.array(changed))
                }
            }
        default: break
        }
        return variants
    }

    private static func replacing(_ key: String, in object: JSONObject, by value: JSONValue?) -> JSONObject {
        var changed = JSONObject()
        for member in object.members {
            if member.key != key {
                changed.append(member.value, forKey: member.key)
            } else if let value {
                changed.append(value, forKey: key)
            }
        }
        return changed
    }
}
