import JSON
import POSIX
import TestSupport
import Testing

@testable import Configuration

/// The tables of docs/CONFIGURATION.md match the parser: every key, its type and range, its default, and the action that a change needs.
///
/// The keys are those of docs/config.full.json, which has every key that the parser accepts (`ConfigurationExampleTests`).
@Suite struct ConfigurationDocumentTests {
    private let rows: [DocumentedKey]
    /// The values in the example, and those that only the other kind of listener has.
    private let places: [ConfigurationPlace]

    init() throws {
        let page = try File.read("\(packageRoot)/docs/CONFIGURATION.md", limit: 1 << 20).bytes
        rows = DocumentedKey.all(in: String(decoding: page, as: UTF8.self))
        let bytes = try File.read("\(packageRoot)/docs/config.full.json", limit: 1 << 20).bytes
        let example = try JSONDocument(parsing: bytes.span).value()
        let first = ConfigurationPlace.all(in: example)
        let known = Set(first.map(\.name))
        places = first + ConfigurationPlace.all(in: Self.withListenersSwapped(example)).filter { !known.contains($0.name) }
    }

    @Test func `every key is in a table`() {
        let documented = rows.flatMap { row in row.types.map { "\(row.key) \($0)" } }
        let known = Set(places.map(\.name))
        let leaves = Set(places.filter(\.isLeaf).map(\.name))
        #expect(leaves.subtracting(documented).sorted() == [], "these are missing")
        #expect(Set(documented).subtracting(known).sorted() == [], "these are no keys")
        #expect(Dictionary(grouping: documented) { $0 }.filter { $0.value.count > 1 }.keys.sorted() == [], "these stand in it twice")
    }

    @Test func `types are right`() {
        let wrong = pairs.filter { !$0.row.takes($0.place.value) }
        #expect(wrong.map { "\($0.place.path): \($0.row.type)" } == [])
    }

    @Test func `ranges match the parser's`() throws {
        let numbers = pairs.filter { $0.row.type.hasPrefix("integer") || $0.row.type.hasPrefix("number") }
        #expect(numbers.filter { $0.row.range == nil }.map(\.place.path) == [], "these have no range")
        let directory = try ConfigurationExampleTests.directory()
        var mistakes: [String] = []
        // All mistakes are reported at once, so each document is parsed once with all numbers too small, and once with all too large.
        for document in Dictionary(grouping: numbers, by: { Self.text($0.place.root) }).values {
            for isTooLarge in [false, true] {
                var root = document[0].place.root
                for (row, place) in document {
                    guard let range = row.range else { continue }
                    root = place.replacing(in: root, by: .integer(Int64(isTooLarge ? range.upperBound + 1 : range.lowerBound - 1)))
                }
                let problems = try directory.problems(Self.text(root))
                for (row, place) in document {
                    let bounds = row.range.map { "from \($0.lowerBound) to \($0.upperBound)" } ?? ""
                    // A person or a device has a lower limit than an app.
                    let isExact = row.type.hasPrefix("integer") && !row.key.hasSuffix(".limits[].max")
                    let wanted = isExact ? bounds : ""
                    if !problems.contains(where: { $0.hasPrefix("\(place.path): ") && $0.contains(wanted) }) {
                        mistakes.append("\(place.path) has another range than \(row.type)")
                    }
                }
            }
        }
        #expect(mistakes == [])
    }

    @Test func `defaults match the parser's`() throws {
        let directory = try ConfigurationExampleTests.directory()
        var found: [String: Set<String>] = [:]
        for (_, place) in pairs { found[place.name, default: []].insert(try Self.absence(of: place, directory)) }
        var mistakes: [String] = []
        for row in rows where row.standard != "built in" {
            for type in row.types {
                let outcomes = found["\(row.key) \(type)"] ?? []
                // A key that is optional in one place may be required by a neighbour in another one.
                let reported = outcomes.subtracting(["none", "required"])
                let expected = reported.isEmpty ? [outcomes.contains("none") ? "none" : "required"] : reported
                // A default path is absolute, and an address with a path is shown only with its host.
                let isRight = expected.contains { outcome in
                    outcome == row.standard || outcome.hasSuffix("/\(row.standard)")
                        || (outcome.hasSuffix("/•••") && row.standard.hasPrefix(outcome.dropLast(3)))
                }
                if !isRight { mistakes.append("\(row.key) \(type): \(row.standard), but it is \(expected.sorted())") }
            }
        }
        #expect(mistakes == [])
    }

    @Test func `actions for changes match the parser's`() throws {
        let directory = try ConfigurationExampleTests.directory()
        var mistakes: [String] = []
        var inForce: [String: [FixedValue]] = [:]
        for (row, place) in pairs {
            let document = Self.text(place.root)
            let fixed = try inForce[document] ?? directory.configuration(document).fixed
            inForce[document] = fixed
            let change = Self.change(place, fixed)
            if row.change != change { mistakes.append("\(place.path): \(row.change), but it is \(change)") }
        }
        #expect(mistakes == [])
    }

    /// Each row with each value of its key.
    private var pairs: [(row: DocumentedKey, place: ConfigurationPlace)] {
        let byName = Dictionary(grouping: places, by: \.name)
        return rows.flatMap { row in row.types.flatMap { type in (byName["\(row.key) \(type)"] ?? []).map { (row, $0) } } }
    }

    /// The result without the key: its default, or `none`, or `required` if the configuration is invalid then.
    private static func absence(of place: ConfigurationPlace, _ directory: ConfigurationDirectory) throws -> String {
        guard let configuration = try? directory.configuration(text(place.root(with: nil))) else { return "required" }
        let setting = configuration.settings.first { $0.path == place.path && $0.origin == .standard }
        guard let value = setting?.value else { return "none" }
        return if case .string(let text) = value { text } else { text(value) }
    }

    /// A key whose presence alone is fixed is `true` there, although it is no boolean in the file.
    private static func change(_ place: ConfigurationPlace, _ fixed: [FixedValue]) -> String {
        let around = place.around.compactMap { path, value in fixed.first { $0.path == path }.map { (value, $0.value) } }
        let isPresence = around.map { value, inForce in inForce == "true" && value != .bool(true) }
        if isPresence.contains(false) { return "restart" }
        return isPresence.isEmpty ? "live" : "live once set"
    }

    private static func text(_ value: JSONValue) -> String { String(decoding: value.serialized(), as: UTF8.self) }

    /// The example has a Unix socket for operators and a port for the help desk; each listener may have either.
    private static func withListenersSwapped(_ example: JSONValue) -> JSONValue {
        guard case .object(let root) = example, case .object(let listen)? = root["listen"], case .object(let admin)? = root["admin"],
            case .object(let tls)? = listen["tls"]
        else { return example }
        let address = ["host": listen["host"], "port": listen["port"]].compactMapValues(\.self)
        let members =
            admin.members.filter { $0.key != "unix" }.map { ($0.key, $0.value) } + address.map { ($0.key, $0.value) }
            + [("tls", JSONValue.object(JSONObject(tls.members.filter { $0.key != "client_authorities" }.map { ($0.key, $0.value) })))]
        return .object(
            JSONObject(
                root.members.map { entry in
                    switch entry.key {
                    case "listen": (entry.key, ["unix": "listen.sock"])
                    case "admin": (entry.key, JSONValue.object(JSONObject(members)))
                    default: (entry.key, entry.value)
                    }
                }))
    }
}
