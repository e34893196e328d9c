/// The failure of a query or change of tickets; contains no text from the help desk.
package enum TicketFailure: Error, Equatable, Sendable {
    /// The ticket does not exist, or belongs to another user; the answers must not differ.
    case notFound
    /// The help desk does not know the user.
    case unknownPerson
    /// Only an active or idle ticket can be closed; nil when this version does not know the ticket's state.
    case notClosable(TicketState?)
    /// Only a closed ticket can be reopened; nil when this version does not know the ticket's state.
    case notClosed(TicketState?)
    /// The help desk allows this only to its own programs.
    case unsupported
    /// The message is not a question from support, or was already answered.
    case notAsked
    /// The user is not a member of one of the related channels.
    case foreignChannel
    /// Support has related the ticket to channels that the user does not see; `room` more are allowed.
    case tooManyChannels(room: Int)
    /// Customers must not set one of these fields; the named configuration key lists the allowed ones.
    case fieldNotAllowed(listedBy: String)
    /// The help desk rejects the values, such as an unknown group.
    case refused
    /// Too many requests; retry after `seconds`.
    case limited(seconds: UInt64)
    /// Too many callers already wait for the help desk.
    case overloaded
    /// The help desk rejects Deskgate's token.
    case unauthorized
    /// The help desk is unreachable, did not respond in time, or responded with an error or an invalid response. The change may have taken
    /// effect.
    /// - Parameter reason: a word for logs.
    case unavailable(reason: String)

    /// Whether the change may have taken effect.
    package var mayHaveChanged: Bool { if case .unavailable = self { true } else { false } }

    package var code: String {
        switch self {
        case .notFound: "not_found"
        case .unknownPerson: "unknown_user"
        case .notClosable: "not_closable"
        case .notClosed: "not_closed"
        case .unsupported: "unsupported"
        case .notAsked: "not_asked"
        case .foreignChannel: "foreign_channel"
        case .tooManyChannels: "too_many_channels"
        case .fieldNotAllowed: "field_not_allowed"
        case .refused: "refused"
        case .limited: "too_many_requests"
        case .overloaded: "overloaded"
        case .unauthorized: "help_desk_token"
        case .unavailable: "help_desk_unavailable"
        }
    }

    package var status: Int {
        switch self {
        case .notFound, .unknownPerson: 404
        case .notClosable, .notClosed, .unsupported, .notAsked: 409
        case .foreignChannel, .tooManyChannels, .fieldNotAllowed, .refused: 400
        case .limited: 429
        case .overloaded, .unauthorized, .unavailable: 503
        }
    }

    /// Nil when a retry cannot succeed.
    package var retryAfterSeconds: UInt64? {
        switch self {
        case .limited(let seconds): max(1, seconds)
        case .overloaded: 1
        case .unavailable: 5
        case .unauthorized: 60
        default: nil
        }
    }

    /// For logs; contains no text from a caller or the help desk.
    package var reason: String {
        if case .unavailable(let reason) = self { reason } else { code }
    }

    /// One sentence for users.
    /// - Parameter isOfChange: whether the request was a change.
    package func message(isOfChange: Bool) -> String {
        switch self {
        case .notFound: "There is no such ticket."
        case .unknownPerson: "The help desk does not know this user and rejected the user as a new customer."
        case .notClosable(let state):
            "Only a ticket that is ACTIVE or IDLE can be closed; this one is \(state?.rawValue ?? "in a state that is not known here")."
        case .notClosed(let state):
            "Only a closed ticket can be reopened; this one is \(state?.rawValue ?? "in a state that is not known here")."
        case .unsupported: "The help desk offers this to its own programs only."
        case .notAsked: "This message is not a question of support that is still open."
        case .foreignChannel: "related_channels: the person is no member of one of these channels."
        case .tooManyChannels(let room): "related_channels: at most \(room) in addition to those that support has added."
        case .fieldNotAllowed(let key): "custom_fields: customers may set only fields that the app's \(key) lists; nothing was set."
        case .refused: "The help desk rejects these values; check the group's key, the channels and the name."
        case .limited(let seconds): "The help desk accepts no more requests now; wait \(max(1, seconds)) seconds."
        case .overloaded: "Too many requests wait for the help desk; try again."
        case .unauthorized: "The help desk does not accept the configured token."
        case .unavailable where isOfChange:
            "The help desk's answer is unusable; the change may have been made. Check before you repeat it."
        case .unavailable: "The help desk's answer is unusable; try again."
        }
    }
}
