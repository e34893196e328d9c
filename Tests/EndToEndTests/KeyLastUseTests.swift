import JSON
import Testing

@testable import DeskgateCLI

/// The column `LAST USED` of `deskgate status`.
@Suite struct KeyLastUseTests {
    private static let cases: [(key: JSONObject, text: String)] = [
        (["last_used": 60, "known_since": 7], "1970-01-01T00:01:00.000Z"),
        (["last_used": .null, "known_since": 7], "never since 1970-01-01T00:00:07.000Z"),
        (["last_used": .null, "known_since": .null], "not known yet"), ([:], "not known yet"),
    ]

    @Test(arguments: cases) func `a key is called unused only since a time`(_ key: JSONObject, _ text: String) {
        #expect(StatusCommands.lastUse(of: key) == text)
    }
}
