package import HTTPServer

package struct DemoPorts: Sendable, Equatable {
    /// The usual ports, as `deskgate init` has them.
    package static let usual = DemoPorts(listen: 8080, admin: 9090)

    private static let tries = 100
    /// Outside of those that Linux gives to clients, which could be taken meanwhile.
    private static let others: ClosedRange<UInt16> = 20_000...29_998

    package let listen: UInt16
    package let admin: UInt16
    /// The sample shop's, where there is one: the second port behind the public listener's.
    package var shop: UInt16 { listen + 2 }

    /// The port of the public listener; the admin listener has the next one.
    package init(from port: UInt16) {
        self.init(listen: port, admin: port + 1)
    }

    private init(listen: UInt16, admin: UInt16) {
        self.listen = listen
        self.admin = admin
    }

    /// The usual ports, or others that are free when one of those is taken.
    /// - Parameter withShop: whether the shop's is needed.
    package static func free(withShop: Bool = false) -> DemoPorts {
        if usual.problem(withShop: withShop) == nil { return usual }
        let some = (0..<tries).lazy.map { _ in DemoPorts(from: UInt16.random(in: others)) }
        return some.first { $0.problem(withShop: withShop) == nil } ?? usual
    }

    /// Returns why a server could not listen there; nil when it can.
    package func problem(withShop: Bool = false) -> ServerError? {
        do throws(ServerError) {
            for port in [listen, admin] + (withShop ? [shop] : []) { try ListenAddress.tcp(host: "127.0.0.1", port: port).probe() }
            return nil
        } catch {
            return error
        }
    }
}
