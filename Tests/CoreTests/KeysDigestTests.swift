import Core
import Testing
import Time

/// The digest with which two processes detect whether they have the same keys.
@Suite struct KeysDigestTests {
    private func digest(
        _ app: String = "shop", id: UInt32 = 1, secret: UInt8 = 1, state: Application.Key.State = .active, end: UnixSeconds? = nil
    ) throws -> String {
        let key = Application.Key(id: id, secret: try Samples.secret(secret), state: state, notAfter: end)
        return try Authorizer([Application(id: app, keys: [key])]).keysDigest
    }

    @Test func `differs for different accepted or minting keys`() throws {
        let digests = try [
            digest(), digest("shop2"), digest(id: 2), digest(secret: 2), digest(state: .verifyOnly), digest(end: 1), digest(end: 2),
            Authorizer([]).keysDigest,
        ]
        #expect(Set(digests).count == digests.count)
        #expect(digests.allSatisfy { $0.utf8.count == 16 })
    }

    @Test func `is the same in each process and order`() throws {
        #expect(try digest() == digest())
        let apps = [try Samples.application("a", keys: 1, 2), try Samples.application("b", keys: 3)]
        let turned = [try Samples.application("b", keys: 3), try Samples.application("a", keys: 2, 1)]
        #expect(try Authorizer(apps).keysDigest == Authorizer(turned).keysDigest)
        let moved = [try Samples.application("a", keys: 1), try Samples.application("b", keys: 2, 3)]
        #expect(try Authorizer(apps).keysDigest != Authorizer(moved).keysDigest)
    }
}
