internal import Core
package import Crypto
internal import Time

/// The destination of one project's messages in RuStore, whose responses have the form of FCM's.
///
/// A proof tests only the service token, because RuStore gives the same response for a wrong project and for a wrong device.
package struct RuStoreDestination: Sendable, Equatable {
    package static let defaultURL = "https://vkpns.rustore.ru"

    /// The project's identifier, as shown by the console.
    package var projectID: String
    /// The project's service token, visible ASCII.
    package var token: SecretBytes
    /// Scheme, host and port; configured otherwise only for simulators and proxies.
    package var url: String

    package init(projectID: String, token: SecretBytes, url: String = defaultURL) {
        self.projectID = projectID
        self.token = token
        self.url = url
    }
}

struct RuStoreProvider: PushProvider {
    var environments: [PushEnvironment] { [interface.environment] }
    var proof: PushMessage { interface.proof }
    var remedies: [String: String] { RuStoreRemedy.byReason.mapValues(\.rawValue) }
    var generalRemedy: String { RuStoreRemedy.token.rawValue }
    private let interface: FCMInterface

    init(_ destination: RuStoreDestination) {
        interface = FCMInterface("rustore", url: destination.url, projectID: destination.projectID)
    }

    func message(
        _ notification: PushNotification, to token: String, id: UUIDv7, limit: Int, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage {
        interface.message(try RuStoreMessage.body(notification, token: token, now: now, limit: limit))
    }

    func message(
        _ withdrawal: PushWithdrawal, to token: String, id: UUIDv7, now: UnixMilliseconds
    ) throws(PushPayloadError) -> PushMessage {
        interface.message(try RuStoreMessage.body(withdrawal, token: token, now: now))
    }

    func answer(status: Int, body: [UInt8], token: String?, retryAfter: UInt64?) -> ProviderAnswer {
        RuStoreAnswer.of(status: status, body: body, retryAfter: retryAfter)
    }
}

enum RuStoreAnswer {
    /// Parses a response.
    /// - Parameter retryAfter: the value of the header Retry-After, in milliseconds.
    static func of(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        // Documented as a wrong device token. A wrong project has no separate code, so many of these may mean a wrong project.
        if status == 404, FCMRefusal(body: body).code == .notFound {
            return ProviderAnswer(.deviceGone(since: nil), FCMErrorCode.notFound.word, step: .askAlarm)
        }
        let answer = FCMAnswer.of(status: status, body: body, retryAfter: retryAfter)
        // The service token comes from the console, so no token is minted.
        return answer.step == .mintToken ? ProviderAnswer(answer.outcome) : answer
    }
}

/// The operator's remedies for RuStore's responses, worded as ends of sentences.
enum RuStoreRemedy: String, CaseIterable, ProviderRemedy {
    case otherProject =
        #"many devices belong to another project: check "project_id", and that "routes" lead the devices of each app to their own notifier"#
    case token = #"check "token" and "project_id": RuStore's console shows both under Push notifications, Projects"#

    /// The remedy when a response with this code pauses the notifier.
    init(_ code: FCMErrorCode) {
        switch code {
        case .notFound: self = .otherProject
        case .unregistered, .senderIDMismatch, .invalidArgument, .thirdPartyAuthError, .unauthenticated, .quotaExceeded, .internal,
            .unavailable, .permissionDenied, .resourceExhausted, .tooManyRequests:
            self = .token
        }
    }

    static let byReason: [String: RuStoreRemedy] = {
        var remedies: [String: RuStoreRemedy] = [
            StatusReason.word(401): .token, StatusReason.word(403): .token, StatusReason.word(404): .token,
            NotifierReason.misconfiguredForDeviceType.rawValue: .token, NotifierReason.requestCannotBeMade.rawValue: .token,
        ]
        for code in FCMErrorCode.allCases { remedies[code.word] = RuStoreRemedy(code) }
        return remedies
    }()

    var russian: String {
        switch self {
        case .otherProject:
            #"если устройств много, они от другого проекта: проверьте "project_id" и то, что "routes" ведут устройства каждого приложения к своему каналу"#
        case .token: #"проверьте "token" и "project_id": консоль RuStore показывает их в разделе Push-уведомления, Проекты"#
        }
    }
}
