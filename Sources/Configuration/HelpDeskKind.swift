/// The supported help desks. The raw values are used in the configuration.
///
/// Outside of the help desks' own targets, only this type and the readers of app objects depend on the particular help desk.
package enum HelpDeskKind: String, Sendable, CaseIterable {
    case pyrus
    /// Sendbird Desk, with Sendbird Chat below it.
    case sendbird

    /// The default help desk of an app.
    package static let `default` = pyrus

    /// The keys that only apps of this help desk have.
    var ownKeys: [String] {
        switch self {
        case .pyrus: ["webhook", "anonymous"]
        case .sendbird: ["sendbird"]
        }
    }

    /// The headers with the signatures of its webhooks, in lower case.
    var signatureHeaders: [String] {
        switch self {
        case .pyrus: ["x-pyrus-sig"]
        case .sendbird: ["x-sendbird-signature", "x-hub-signature"]
        }
    }

    /// Whether its relays send the changes about a person in order. Otherwise the rate limit of the registry determines the order.
    var relaysInOrder: Bool { self == .sendbird }

    /// Whether its webhooks may lack the customer, so that some messages are held (`HeldMessage`).
    package var holdsMessages: Bool { self == .sendbird }

    /// Whether deliveries and commands identify a ticket by its channel, and not by its number.
    var namesTicketsByChannel: Bool { self == .sendbird }

    /// The destination of relayed registrations; nil when each app has its own address.
    var registry: Registry? {
        switch self {
        case .pyrus: Registry(cloudHost: "pyrus.com", path: "/servicedeskapi/v1/SetPushToken")
        case .sendbird: nil
        }
    }

    /// The help desk's registry of push tokens.
    struct Registry {
        /// The host of the help desk's cloud, which is the default.
        let cloudHost: String
        /// The path for registrations on every host.
        let path: String

        func address(at host: String) -> String { "https://\(host)\(path)" }
    }
}
