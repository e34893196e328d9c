import JSON
import Testing

@testable import DeskgateCLI

/// The keys in `deskgate status`, such as the column `LAST USED`.
@Suite struct KeyLastUseTests {
    private static let cases: [(key: JSONObject, text: String)] = [
        (["last_used": 60, "known_since": 7], "1970-01-01T00:01Z"),
        (["last_used": .null, "known_since": 7], "never since 1970-01-01T00:00:07.000Z"),
        (["last_used": .null, "known_since": .null], "not known yet"), ([:], "not known yet"),
    ]

    @Test(arguments: cases) func `a key is reported as unused only since a time`(_ key: JSONObject, _ text: String) {
        #expect(StatusCommands.lastUse(of: key) == text)
    }

    @Test(arguments: [(JSONValue.null, 0), ("own", 0), ("other", 1)])
    func `a replica without reported keys is not counted as having other keys`(_ digest: JSONValue, _ count: Int) {
        let status: JSONObject = [
            "keys_digest": "own", "replicas": [["id": "r", "answers": false, "silent_seconds": 1, "keys_digest": digest]],
        ]
        let lines = StatusCommands.otherKeys(status, inFile: "own")
        #expect(lines.count == count)
        #expect(lines.allSatisfy { $0.hasPrefix("The keys in force in replica r are not those of the configuration file") })
    }
}
