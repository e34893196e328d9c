package import HTTPServer

package struct DemoPorts: Sendable, Equatable {
    /// The default ports, those of `deskgate init`.
    package static let usual = DemoPorts(listen: 8080, admin: 9090)

    private static let tries = 100
    /// Outside of the range for outgoing connections, which could take them.
    private static let others: ClosedRange<UInt16> = 20_000...29_998

    package let listen: UInt16
    package let admin: UInt16
    /// The sample shop's port, if there is a shop: the second port after the public listener's.
    package var shop: UInt16 { listen + 2 }

    /// The port of the public listener; the admin listener has the next one.
    package init(from port: UInt16) {
        self.init(listen: port, admin: port + 1)
    }

    private init(listen: UInt16, admin: UInt16) {
        self.listen = listen
        self.admin = admin
    }

    /// The default ports, or other free ones when one of those is in use.
    /// - Parameter withShop: whether the shop's is needed.
    package static func free(withShop: Bool = false) -> DemoPorts {
        if usual.problem(withShop: withShop) == nil { return usual }
        let some = (0..<tries).lazy.map { _ in DemoPorts(from: UInt16.random(in: others)) }
        return some.first { $0.problem(withShop: withShop) == nil } ?? usual
    }

    /// Returns the reason why a server could not listen on the port; nil when it can.
    package func problem(withShop: Bool = false) -> ServerError? {
        do throws(ServerError) {
            for port in [listen, admin] + (withShop ? [shop] : []) { try ListenAddress.tcp(host: "127.0.0.1", port: port).probe() }
            return nil
        } catch {
            return error
        }
    }
}
