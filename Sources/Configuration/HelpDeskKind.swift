/// The supported help desks; the raw values are those of the configuration.
///
/// Below the help desks' own targets, only this list and the readers of their apps' objects name them.
package enum HelpDeskKind: String, Sendable, CaseIterable {
    case pyrus
    /// Sendbird Desk, with Sendbird Chat below it.
    case sendbird

    /// The help desk of an app that names none.
    package static let `default` = pyrus

    /// The keys that only its apps have.
    var ownKeys: [String] {
        switch self {
        case .pyrus: ["webhook", "anonymous"]
        case .sendbird: ["sendbird"]
        }
    }

    /// The headers that its webhooks are signed with, in lower case.
    var signatureHeaders: [String] {
        switch self {
        case .pyrus: ["x-pyrus-sig"]
        case .sendbird: ["x-sendbird-signature", "x-hub-signature"]
        }
    }

    /// Whether its relays pass on what concerns a person in the order in which it happened. Otherwise the registry's pace decides.
    var relaysInOrder: Bool { self == .sendbird }

    /// Whether its webhooks may not name the customer, so that some messages are held (`HeldMessage`).
    package var holdsMessages: Bool { self == .sendbird }

    /// Whether deliveries and commands name a ticket by its channel, and not by its number.
    var namesTicketsByChannel: Bool { self == .sendbird }

    /// The destination of relayed registrations; nil where each app has an address of its own.
    var registry: Registry? {
        switch self {
        case .pyrus: Registry(cloudHost: "pyrus.com", path: "/servicedeskapi/v1/SetPushToken")
        case .sendbird: nil
        }
    }

    /// A help desk's own registry of push tokens.
    struct Registry {
        /// The host of its cloud, which is called unless the configuration says otherwise.
        let cloudHost: String
        /// The path that takes registrations at a host of its own.
        let path: String

        func address(at host: String) -> String { "https://\(host)\(path)" }
    }
}
