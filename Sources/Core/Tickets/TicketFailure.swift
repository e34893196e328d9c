/// The reason why a call to the help desk about tickets failed, in Deskgate's own words.
package enum TicketFailure: Error, Equatable, Sendable {
    /// There is no such ticket, or it is another person's, which must look the same.
    case notFound
    /// The person is not known to the help desk.
    case unknownPerson
    /// Only a ticket that is active or idle can be closed; this one is in another state, nil for one that is not known.
    case notClosable(TicketState?)
    /// Only a closed ticket can be reopened.
    case notClosed(TicketState?)
    /// The help desk offers this only to its own programs.
    case unsupported
    /// The message asks nothing, is not of support, or was answered already.
    case notAsked
    /// The person is no member of one of the related channels.
    case foreignChannel
    /// Support has added channels to the ticket that the person does not see; beside them there is room for so many.
    case tooManyChannels(room: Int)
    /// Customers may not set one of these fields; the configuration's key lists those that they may.
    case fieldNotAllowed(listedBy: String)
    /// The help desk rejects the request, such as a group that does not exist.
    case refused
    /// Too many requests: wait so many seconds.
    case limited(seconds: UInt64)
    /// Too many callers wait for the help desk already.
    case overloaded
    /// The help desk does not accept our token.
    case unauthorized
    /// The help desk cannot be reached, does not answer in time, or answers with a failure of its own or nonsense. The reason is a word for
    /// logs. What was to be changed may have been changed.
    case unavailable(reason: String)

    /// Whether the change may have been made all the same.
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

    /// The HTTP status that says it.
    package var status: Int {
        switch self {
        case .notFound, .unknownPerson: 404
        case .notClosable, .notClosed, .unsupported, .notAsked: 409
        case .foreignChannel, .tooManyChannels, .fieldNotAllowed, .refused: 400
        case .limited: 429
        case .overloaded, .unauthorized, .unavailable: 503
        }
    }

    /// After how many seconds to ask again; nil where that changes nothing.
    package var retryAfterSeconds: UInt64? {
        switch self {
        case .limited(let seconds): max(1, seconds)
        case .overloaded: 1
        case .unavailable: 5
        case .unauthorized: 60
        default: nil
        }
    }

    /// The reason for logs; never anything that a caller or the help desk wrote.
    package var reason: String {
        if case .unavailable(let reason) = self { reason } else { code }
    }

    /// One sentence for people.
    /// - Parameter isOfChange: whether something was to be changed.
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
        case .tooManyChannels(let room): "related_channels: at most \(room) beside those that support has added."
        case .fieldNotAllowed(let key): "custom_fields: customers may set only fields that the app's \(key) lists; nothing was set."
        case .refused: "The help desk refuses these values; check the group's key, the channels and the name."
        case .limited(let seconds): "The help desk accepts no more requests now; wait \(max(1, seconds)) seconds."
        case .overloaded: "Too many requests wait for the help desk; try again."
        case .unauthorized: "The help desk does not accept the configured token."
        case .unavailable where isOfChange:
            "The help desk's answer is unusable; the change may have been made. Check before you repeat it."
        case .unavailable: "The help desk's answer is unusable; try again."
        }
    }
}
