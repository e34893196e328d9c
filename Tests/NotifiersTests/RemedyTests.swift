import Core
import HTTPClient
import Testing

@testable import Notifiers

/// The remedies for a paused notifier. The texts are fixed here, because commands, routes and the log show them.
@Suite struct RemedyTests {
    private static let general: [ProviderKind: String] = [
        .apns: #"check "key", "key_id" and "team_id": all three must be of one key that Apple has not revoked"#,
        .fcm: #"check "service_account": make a new key in the Firebase console under Project settings, Service accounts"#,
        .rustore: #"check "token" and "project_id": RuStore's console shows both under Push notifications, Projects"#,
        .hms: #"check "app_id" and "secret": AppGallery Connect shows both in the project's settings"#,
    ]
    private static let clock = "set this machine's clock: it is more than five minutes away from the provider's"
    private static let otherApp = #"and that "routes" lead the devices of each app to their own notifier"#
    private static let topic = #"check "topic": the app's bundle identifier, which the key or the certificate must be allowed to send to"#
    private static let certificate = #"check "certificate": it must be of this app, and not have expired"#
    private static let keyLimits = #"check "key_id": this key is of another team, or limited to another environment or topic"#
    private static let address = #"check "url", "sandbox_url" and "proxy": the server there is not APNs"#
    private static let project = #"check "service_account" and "url": there is no such project"#
    private static let permission =
        "let the service account send messages: it needs the role Firebase Cloud Messaging API Admin, and the API enabled"

    /// The remedies that differ from the provider's general one, by reason.
    private static let own: [ProviderKind: [String: String]] = [
        .apns: [
            "bad_topic": topic, "missing_topic": topic, "topic_disallowed": topic,
            "device_token_not_for_topic": #"many devices belong to another app: check "topic", \#(otherApp)"#,
            "bad_certificate": certificate, "bad_certificate_environment": certificate, "status_404": address, "status_405": address,
            "expired_provider_token": "check this machine's clock", "unrelated_key_id_in_token": keyLimits,
            "bad_environment_key_id_in_token": keyLimits, "bad_environment_key_in_token": keyLimits, "clock_skew": clock,
        ],
        .fcm: [
            "token_invalid_grant":
                "check that the service account's key has not been deleted, and this machine's clock; create a new key if necessary",
            "misconfigured_for_device_type":
                "give Firebase the credentials of the other platform, under Project settings, Cloud Messaging",
            "sender_id_mismatch": #"many devices belong to another project: check "service_account", \#(otherApp)"#,
            "permission_denied": permission, "status_403": permission, "not_found": project, "status_404": project, "clock_skew": clock,
        ],
        .rustore: ["not_found": #"many devices belong to another project: check "project_id", \#(otherApp)"#, "clock_skew": clock],
        .hms: [
            "hms_80300002": #"enable Push Kit for the app in AppGallery Connect, and check "app_id""#,
            "hms_80300011": "apply for the missing permission in AppGallery Connect, under Push Kit",
            "hms_80300013": "check the address for receipts in AppGallery Connect, under Push Kit, and its certificate",
            "hms_80300007": #"many devices belong to another app: check "app_id", \#(otherApp)"#,
            "clock_skew": clock,
        ],
    ]

    private static let reasons: [String] = {
        let tokens: [TokenReason] =
            TokenError.allCases.map { .error($0) } + ClientReason.allCases.map { .client($0.rawValue) }
            + (400...599).map { .status($0) } + [.number(1101), .malformed, .cannotBeSigned]
        return APNsReason.allCases.map(\.word) + FCMErrorCode.allCases.map(\.word) + HMSCode.allCases.map { HMSCode.word($0.rawValue) }
            + NotifierReason.allCases.map(\.rawValue) + ProviderTokenFailure.StateReason.allCases.map(\.rawValue)
            + ClientReason.allCases.map(\.rawValue) + (100...599).map(StatusReason.word) + tokens.map(\.word) + ["hms_80199999", "new"]
    }()

    /// A reason is public: renaming a case must not change it.
    @Test func `the fixed reasons exist`() {
        for own in Self.own.values { for reason in own.keys { #expect(Self.reasons.contains(reason)) } }
        #expect(TokenError.allCases.map { TokenReason.error($0).word }.contains("token_invalid_grant"))
        #expect(TokenReason.number(1101).word == "token_error_1101")
        #expect(TokenReason.status(403).word == "token_status_403")
        #expect(TokenReason.client(ClientReason.word(.resolve)).word == "token_host_unknown")
        #expect(TokenReason.withoutPrefix("token_host_unknown") == "host_unknown")
        #expect(TokenReason.withoutPrefix("host_unknown") == "host_unknown")
        #expect(TokenReason.cannotBeSigned.word == "token_cannot_be_signed")
        #expect(TokenReason.malformed.word == "token_malformed")
    }

    @Test(arguments: ProviderKind.allCases)
    func `the texts are fixed`(kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let notifier = try kind.notifier(fixture)
            for reason in Self.reasons {
                #expect(notifier.remedy(for: reason) == Self.own[kind]?[reason] ?? Self.general[kind], "\(reason)")
            }
        }
    }

    /// A reason that pauses a notifier, or reports a possible settings problem, must not get the general remedy unless its provider lists
    /// it.
    @Test func `every reason that needs a remedy is in its provider's table`() {
        let answers: [(table: Set<String>, answers: [ProviderAnswer])] = [
            (
                Set(APNsRemedy.byReason.keys),
                (100...599).flatMap { status in
                    (APNsReason.allCases.map { $0 } + [nil]).map { APNsAnswer.of(status: status, reason: $0) }
                }
            ),
            (
                Set(FCMRemedy.byReason.keys),
                (100...599).flatMap { status in
                    (FCMErrorCode.allCases.map { $0 } + [nil]).flatMap { code in
                        [true, false].map { FCMAnswer.of(status: status, code: code, blamesToken: $0) }
                    }
                }
            ),
            (
                Set(RuStoreRemedy.byReason.keys),
                (100...599).flatMap { status in
                    (FCMErrorCode.allCases.map(\.rawValue) + ["NEW"]).map { code in
                        RuStoreAnswer.of(status: status, body: Array("{\"error\":{\"status\":\"\(code)\"}}".utf8), retryAfter: nil)
                    }
                }
            ),
            (
                Set(HMSRemedy.byReason.keys),
                (100...599).flatMap { status in
                    (HMSCode.allCases.map(\.rawValue) + ["80199999", "none"]).map { code in
                        let message = #""{\"illegal_tokens\":[\"t\"]}""#
                        let body = Array("{\"code\":\"\(code)\",\"msg\":\(message)}".utf8)
                        return HMSAnswer.of(status: status, body: body, token: "t", retryAfter: nil)
                    }
                }
            ),
        ]
        for (table, answers) in answers {
            var needing: Set<String> = [NotifierReason.requestCannotBeMade.rawValue]
            for answer in answers where answer.outcome.verdict == .misconfigured || answer.step == .askAlarm {
                needing.insert(answer.outcome.reason)
            }
            for answer in answers where answer.outcome.settingsFault != nil { needing.insert(answer.outcome.reason) }
            #expect(needing.count > 3)
            for reason in needing { #expect(table.contains(reason), "\(reason)") }
        }
        for error in TokenError.allCases {
            let reason = TokenReason.error(error).word
            #expect(FCMRemedy.byReason[reason] != nil)
            #expect(HMSRemedy.byReason[reason] != nil)
        }
    }
}
