/// The help desks that can be served; the raw values are those of the configuration.
///
/// This list is the one place below the help desks' own targets that names them.
package enum HelpDeskKind: String, Sendable, CaseIterable {
    /// Pyrus.
    case pyrus

    /// The help desk of an app that names none.
    package static let `default` = pyrus

    /// The host of its cloud, where registrations are passed on to unless the configuration says otherwise.
    var cloudHost: String {
        switch self {
        case .pyrus: "pyrus.com"
        }
    }

    /// The path that takes registrations at a host of its own.
    var registrationPath: String {
        switch self {
        case .pyrus: "/servicedeskapi/v1/SetPushToken"
        }
    }
}
