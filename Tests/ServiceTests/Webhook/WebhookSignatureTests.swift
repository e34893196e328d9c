import Crypto
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The signature that the help desk documents.
@Suite struct WebhookSignatureTests {
    private static let body = Array(#"{"task_id": 12345}"#.utf8)
    private static let documented = "5f469f049573dd4aaa8d02fac6456e633e83f4df"

    private func isGenuine(_ text: String, body: [UInt8] = body, key: String = "my-secret-key") throws -> Bool? {
        let key = try HMACKey<SHA1>(secret: Array(key.utf8).span)
        return try WebhookSignature(Array(text.utf8).span)?.isGenuine(for: body.span, key)
    }

    @Test func `matches the documented example`() throws {
        for text in [Self.documented, Self.documented.uppercased(), "sha1=\(Self.documented)", "SHA1=\(Self.documented.uppercased())"] {
            #expect(try isGenuine(text) == true)
        }
        #expect(try isGenuine(Self.documented, body: Self.body + [0x0A]) == false)
        #expect(try isGenuine(Self.documented, key: "my-secret-keys") == false)
    }

    @Test func `differs in every digit`() throws {
        for index in Self.documented.indices {
            let other: Character = Self.documented[index] == "0" ? "1" : "0"
            #expect(try isGenuine(Self.documented.replacing(at: index, by: other)) == false)
            #expect(try isGenuine(Self.documented.replacing(at: index, by: "g")) == nil)
        }
    }

    @Test(arguments: ["", "sha1=", "sha1", "0", String(documented.dropLast()), documented + "0", " " + documented, "sha1= " + documented])
    func `has only one valid form`(_ text: String) throws {
        #expect(try isGenuine(text) == nil)
    }
}

extension String {
    fileprivate func replacing(at index: Index, by character: Character) -> String {
        self[..<index] + String(character) + self[self.index(after: index)...]
    }
}
