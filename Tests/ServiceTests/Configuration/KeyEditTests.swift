import Core
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Edits of keys in the text of a configuration, which keep all other text.
@Suite struct KeyEditTests {
    private func edited(_ text: String, app: Int = 0, _ edit: (inout KeyEdit) throws -> Void) throws -> String {
        var keyEdit = try KeyEdit(Array(text.utf8), app: app)
        try edit(&keyEdit)
        return String(decoding: keyEdit.edited, as: UTF8.self)
    }

    private static let compact = #"{"apps":[{"app_id":"a","keys":[{"id":1,"secret":{"file":"1.key"}}]},{"keys":[{"id":7}]}],"x":[1 ,2]}"#
    private static let example = """
        {
          "apps": [
            {
              "keys": [
                {"id": 1, "secret": {"file": "1.key"}, "state": "active"},
                {"secret": {"env": "KEY"}, "id": 2}
              ]
            }
          ]
        }

        """
    private static let pretty = """
        {
        \t"apps" : [{
        \t\t"keys" : [
        \t\t\t{
        \t\t\t\t"id" : 1,
        \t\t\t\t"secret" : { "file" : "sub/1.key" }
        \t\t\t}
        \t\t]
        \t}]
        }
        """

    @Test func `adds a key in the form of the others`() throws {
        let new = #"{"id":2,"secret":{"file":"s/2.key"},"state":"verify_only"}"#
        #expect(
            try edited(Self.compact) { $0.add(id: 2, file: "s/2.key") }
                == Self.compact.replacing(#""1.key"}}]"#, with: #""1.key"}},\#(new)]"#))
        #expect(
            try edited(Self.example) { $0.add(id: 3, file: "3.key") }
                == Self.example.replacing(
                    #""id": 2}"#,
                    with: #""id": 2},"# + "\n        " + #"{"id": 3, "secret": {"file": "3.key"}, "state": "verify_only"}"#))
        let lines = """
            \t\t\t},
            \t\t\t{
            \t\t\t\t"id" : 2,
            \t\t\t\t"secret" : {"file" : "sub/\\"2.key"},
            \t\t\t\t"state" : "verify_only"
            \t\t\t}
            \t\t]
            """
        #expect(
            try edited(Self.pretty) { $0.add(id: 2, file: "sub/\"2.key") } == Self.pretty.replacing("\t\t\t}\n\t\t]", with: lines))
    }

    @Test func `sets a state`() throws {
        let text = try edited(Self.example) { edit in
            try edit.set(.verifyOnly, of: 1)
            try edit.set(.active, of: 2)
        }
        #expect(
            text
                == Self.example.replacing(#""state": "active""#, with: #""state": "verify_only""#).replacing(
                    #""id": 2}"#, with: #""id": 2, "state": "active"}"#))
        #expect(
            try edited(Self.pretty) { try $0.set(.verifyOnly, of: 1) }
                == Self.pretty.replacing("}\n\t\t\t}", with: "},\n\t\t\t\t\"state\" : \"verify_only\"\n\t\t\t}"))
    }

    @Test func `removes a key`() throws {
        let rest = #"{"secret": {"env": "KEY"}, "id": 2}"#
        let first = #"{"id": 1, "secret": {"file": "1.key"}, "state": "active"}"#
        #expect(try edited(Self.example) { try $0.remove(1) } == Self.example.replacing(first + ",\n        " + rest, with: rest))
        #expect(try edited(Self.example) { try $0.remove(2) } == Self.example.replacing(first + ",\n        " + rest, with: first))
    }

    @Test func `rejects a missing key`() throws {
        #expect(throws: KeyEdit.Failure.self) { try edited(Self.compact) { try $0.set(.active, of: 7) } }
        #expect(throws: KeyEdit.Failure.self) { try edited(Self.compact) { try $0.remove(1) } }
        #expect(throws: KeyEdit.Failure.self) { try edited(Self.compact, app: 2) { _ in } }
        #expect(throws: KeyEdit.Failure.self) { try edited("[]") { _ in } }
        #expect(try edited(Self.compact) { _ in } == Self.compact)
    }

    @Test func `finds the file of the newest secret`() throws {
        func file(_ text: String) throws -> String? { try KeyEdit(Array(text.utf8), app: 0).newestSecretFile }
        #expect(try file(Self.example) == "1.key")
        #expect(try file(Self.pretty) == "sub/1.key")
        #expect(try file(#"{"apps":[{"keys":[{"id":1,"secret":{"file":"a\/é\u0062"}}]}]}"#) == "a/éb")
        #expect(try file(#"{"apps":[{"keys":[{"id":1,"secret":{"env":"KEY"}}]}]}"#) == nil)
    }
}
