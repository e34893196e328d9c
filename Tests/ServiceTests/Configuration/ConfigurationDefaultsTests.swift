import JSON
import POSIX
import TestSupport
import Testing

@testable import Configuration

/// `deskgate config show` prints the default of every key that has one.
///
/// The keys are those of docs/config.full.json, which has every key that the parser accepts (`ConfigurationExampleTests`). The test omits
/// each key once. If the configuration is still valid, the output must contain the key's default, or the key must be one of those without.
@Suite struct ConfigurationDefaultsTests {
    /// Keys whose absence means off, open or unlimited. `[]` matches any element.
    private static let withoutDefault: Set = [
        "$.$schema", "$.listen.allow", "$.listen.trusted_proxies", "$.listen.tls.client_authorities", "$.admin.unix", "$.admin.tokens",
        "$.apps[].keys[].not_after",
        "$.apps[].shadow_until", "$.apps[].security_keys.longest_life_seconds", "$.security_keys.longest_life_seconds",
        "$.apps[].webhook.secret", "$.apps[].sendbird.bot_user_ids", "$.traces.otlp.certificate_authorities",
        "$.traces.otlp.headers.X-Tenant",
        "$.bots", "$.bots[].functions[].bind.customer_id", "$.bots[].functions[].request.headers.Accept-Language",
    ]
    /// The same keys of every notifier, and the texts that a language does not have.
    private static let ofNotifiers: Set = [
        "badge", "android_channel", "certificate_authorities", "proxy", "files_few", "files_many",
    ]

    @Test func `every default is reported`() throws {
        let bytes = try File.read("\(packageRoot)/docs/config.full.json", limit: 1 << 20).bytes
        let example = try JSONDocument(parsing: bytes.span).value()
        let directory = try ConfigurationExampleTests.directory()
        var (reported, silent) = (0, Set<String>())
        for (path, without) in Self.shortened(example, "$") {
            let json = String(decoding: without.serialized(), as: UTF8.self)
            guard let configuration = try? directory.configuration(json) else { continue }
            if configuration.settings.contains(where: { $0.path == path && $0.origin == .standard }) {
                reported += 1
            } else {
                silent.insert(Self.pattern(path))
            }
        }
        let unexpected = silent.filter { path in
            let isOfNotifier = path.hasPrefix("$.notifiers.") && Self.ofNotifiers.contains(String(path.split(separator: ".").last ?? ""))
            // The device types are defined by the app.
            // A schema's keys are those of JSON Schema.
            if path.hasPrefix("$.bots[].functions[].parameters.") { return false }
            return !isOfNotifier && !path.hasPrefix("$.apps[].routes.") && !Self.withoutDefault.contains(path)
        }
        #expect(unexpected.sorted() == [])
        #expect(Self.withoutDefault.subtracting(silent).sorted() == [], "these have a default now")
        #expect(reported > 60, "it looks at the keys")
    }

    /// The value without one of its keys, for each key that holds no object.
    private static func shortened(_ value: JSONValue, _ path: String) -> [(path: String, value: JSONValue)] {
        switch value {
        case .object(let object):
            return object.members.flatMap { entry -> [(path: String, value: JSONValue)] in
                let (key, member) = (entry.key, entry.value)
                let isObject = if case .object = member { true } else { false }
                let without =
                    isObject
                    ? []
                    : [("\(path).\(key)", JSONValue.object(JSONObject(object.members.filter { $0.key != key }.map { ($0.key, $0.value) })))]
                let inner = shortened(member, "\(path).\(key)").map { found in
                    (found.path, JSONValue.object(JSONObject(object.members.map { ($0.key, $0.key == key ? found.value : $0.value) })))
                }
                return without + inner
            }
        case .array(let elements):
            return elements.indices.flatMap { index in
                shortened(elements[index], "\(path)[\(index)]").map { found in
                    var changed = elements
                    changed[index] = found.value
                    return (found.path, .array(changed))
                }
            }
        default: return []
        }
    }

    /// A path for all elements of its lists.
    private static func pattern(_ path: String) -> String {
        var pattern = ""
        for character in path where !character.isNumber || pattern.last != "[" {
            pattern.append(character)
        }
        return pattern
    }
}
