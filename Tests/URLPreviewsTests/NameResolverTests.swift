import POSIX
import TestSupport
import Testing
import Threading

/// Names without a response from a name server.
@Suite struct NameResolverTests {
    /// Abandoned names use places of their person and app, but none of another app.
    @Test func `abandoned names leave room for others`() {
        let server = DNSServer { _, _, _ in .silence }
        defer { server.stop() }
        let resolver = NameResolver(server: NameResolver.Server(address: 0x7F00_0001, port: server.port))
        func failure(_ app: String, _ user: String) -> NameResolver.Failure? {
            do throws(NameResolver.Failure) {
                _ = try resolver.addresses(of: "page.test", for: ShareOwner(app, user), timeoutMilliseconds: 1)
                return nil
            } catch {
                return error
            }
        }
        for user in ["user-1", "user-2", "user-3", "user-4"] {
            for _ in 1...8 { #expect(failure("shop", user) == .timeout) }
            #expect(failure("shop", user) == .overloaded)
        }
        #expect(failure("shop", "user-5") == .overloaded)
        #expect(failure("bank", "user-1") == .timeout)
    }
}
