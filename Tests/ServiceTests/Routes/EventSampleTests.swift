import Core
import JSON
import Notifiers
import POSIX
import TestSupport
import Testing

@testable import Service

/// The samples of events in docs/HTTP.md, the vectors and the OpenAPI document equal the output of the service's encoder.
@Suite struct EventSampleTests {
    private static let types = EventDescription.all.map(\.kind.rawValue)

    /// Nil for a kind that is sent to no receiver.
    private static func body(_ kind: Event.Kind) -> [UInt8]? {
        EventSample.delivery(kind).map { EventBody.bytes(of: $0) }
    }

    private static func text(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }

    /// The members of an object; nil for any other value.
    private static func members(_ value: JSONValue?) -> [JSONObject.Member]? {
        guard case .object(let object)? = value else { return nil }
        return object.members
    }

    /// The lines of docs/HTTP.md below the heading "Events".
    private static func section() throws -> ArraySlice<Substring> {
        let page = String(decoding: try File.read("\(packageRoot)/docs/HTTP.md", limit: 1 << 20).bytes, as: UTF8.self)
        return page.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != "## Events" }
    }

    @Test func `each kind for receivers has a sample and a description`() {
        let sent = Event.Kind.allCases.filter { $0 != .messageHeld && $0 != .userSignedOut }
        #expect(EventDescription.all.map(\.kind) == sent)
        #expect(Event.Kind.allCases.filter { EventSample.delivery($0) != nil } == sent)
    }

    @Test func `each sample is of its kind`() {
        for kind in EventDescription.all.map(\.kind) { #expect(EventSample.delivery(kind)?.event.kind == kind) }
    }

    @Test func `the samples have distinct ids`() {
        let ids = EventDescription.all.compactMap { EventSample.delivery($0.kind)?.id }
        #expect(Set(ids).count == Self.types.count)
    }

    @Test func `the page has the encoder's samples`() throws {
        var (blocks, block): ([String], [Substring]?) = ([], nil)
        for line in try Self.section() {
            if line == "```json" {
                block = []
            } else if line == "```", let lines = block {
                blocks.append(lines.joined(separator: "\n"))
                block = nil
            } else {
                block?.append(line)
            }
        }
        let shown = try blocks.map { try #require(JSONValue(parsing: Array($0.utf8)), "\($0)") }
        #expect(shown.compactMap { $0["type"]?.text }.sorted() == Self.types.sorted())
        for sample in shown {
            let kind = try #require(sample["type"]?.text.flatMap { Event.Kind(rawValue: $0) })
            #expect(Self.text(sample) == Self.body(kind).map { String(decoding: $0, as: UTF8.self) })
        }
    }

    @Test func `the page lists each type with its description`() throws {
        let rows = try Self.section().drop { $0 != "| type | it is sent when |" }.dropFirst(2).prefix { $0.hasPrefix("|") }
        #expect(rows.map(String.init) == EventDescription.all.map { "| `\($0.kind.rawValue)` | \($0.summary) |" })
    }

    @Test func `the vectors have the bodies and ids for receivers`() throws {
        let file = try File.read("\(packageRoot)/Tests/Vectors/events.json", limit: 1 << 20).bytes
        let cases = try #require(JSONValue(parsing: file)?["events"]).elements
        for kind in EventDescription.all.map(\.kind) {
            let sample = try #require(cases.first { $0["name"]?.text == "sample: \(kind.rawValue)" }, "\(kind.rawValue)")
            #expect(sample["body"]?.text == Self.body(kind).map { String(decoding: $0, as: UTF8.self) })
            #expect(sample["headers"]?["webhook-id"]?.text == EventSample.delivery(kind)?.id.description)
        }
    }

    @Test func `the OpenAPI document describes each type with its sample`() throws {
        let webhooks = try #require(Self.members(OpenAPIDocument.webhooks))
        #expect(webhooks.map(\.key) == Self.types)
        for webhook in webhooks {
            let kind = try #require(Event.Kind(rawValue: webhook.key))
            let content = webhook.value["post"]?["requestBody"]?["content"]?["application/json"]
            #expect(content?["example"].map(Self.text) == Self.body(kind).map { String(decoding: $0, as: UTF8.self) })
            #expect(content?["schema"]?["properties"]?["type"]?["enum"] == [.string(webhook.key)])
        }
    }

    /// The names in `object` that the schema lacks, and the required names that the object lacks, at any depth.
    private static func mismatches(_ object: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
        let schema = schema["anyOf"]?.elements.first ?? schema
        if case .array(let elements) = object {
            return elements.flatMap { mismatches($0, schema["items"] ?? [:], at: path + "[]") }
        }
        guard let members = members(object), let properties = schema["properties"] else { return [] }
        let names = members.map(\.key)
        let missing = (schema["required"]?.elements.compactMap(\.text) ?? []).filter { !names.contains($0) }
        return missing.map { "\(path).\($0) is missing" }
            + members.flatMap { member in
                properties[member.key].map { mismatches(member.value, $0, at: "\(path).\(member.key)") }
                    ?? ["\(path).\(member.key) is not described"]
            }
    }

    @Test func `each sample has the members of its schema`() throws {
        for event in EventDescription.all {
            let body = try #require(Self.body(event.kind).flatMap { JSONValue(parsing: $0) })
            #expect(Self.mismatches(body, event.schema, at: event.kind.rawValue) == [])
        }
    }
}
