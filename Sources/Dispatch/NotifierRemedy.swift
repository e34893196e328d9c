package import Configuration
package import Core

/// What an operator does about a notifier that is switched off, by the reason of the try that did it.
package enum NotifierRemedy {
    /// One sentence's end.
    package static func text(_ type: NotifierType, reason: String) -> String {
        if reason == "clock_skew" { return "set this machine's clock: it is more than five minutes away from the provider's" }
        return switch type {
        case .log: "look at the log"
        case .http: "its receiver wants nothing more; ask whoever runs it, then reload the configuration (SIGHUP)"
        case .apns: apns(reason)
        case .fcm: fcm(reason)
        case .rustore where reason == "not_found":
            "many devices belong to another project: check \"project_id\", and that \"routes\" lead the devices of each app to their own notifier"
        case .rustore: "check \"token\" and \"project_id\": RuStore's console shows both under Push notifications, Projects"
        case .hms: hms(reason)
        case .pyrus: "check \"url\" or \"domain\", and that the help desk has this app_id and the address of our authorization"
        }
    }

    /// Whether a device was refused as another app's, in words that are the same when the settings are another app's.
    package static func blamesSettingsOrDevice(_ outcome: DeliveryOutcome) -> Bool {
        outcome.isAboutDevice
            && ["device_token_not_for_topic", "sender_id_mismatch", "not_found", "hms_80300007", "hms_80100000"].contains(outcome.reason)
    }

    private static func apns(_ reason: String) -> String {
        switch reason {
        case "bad_topic", "missing_topic", "topic_disallowed":
            "check \"topic\": the app's bundle identifier, which the key or the certificate must be allowed to send to"
        case "device_token_not_for_topic":
            "many devices belong to another app: check \"topic\", and that \"routes\" lead the devices of each app to their own notifier"
        case "bad_certificate", "bad_certificate_environment": "check \"certificate\": it must be of this app, and not have expired"
        case "status_404", "status_405": "check \"url\", \"sandbox_url\" and \"proxy\": what answers there is not APNs"
        case "expired_provider_token": "check this machine's clock"
        case "unrelated_key_id_in_token", "bad_environment_key_id_in_token", "bad_environment_key_in_token":
            "check \"key_id\": this key is of another team, or limited to another environment or topic"
        default: "check \"key\", \"key_id\" and \"team_id\": all three must be of one key that Apple has not revoked"
        }
    }

    private static func fcm(_ reason: String) -> String {
        switch reason {
        case "token_invalid_grant":
            "check that the service account's key has not been deleted, and this machine's clock; make a new key if need be"
        case "misconfigured_for_device_type": "give Firebase the credentials of the other platform, under Project settings, Cloud Messaging"
        case "sender_id_mismatch":
            "many devices belong to another project: check \"service_account\", and that \"routes\" lead the devices of each app to their own notifier"
        case "permission_denied", "status_403":
            "let the service account send messages: it needs the role Firebase Cloud Messaging API Admin, and the API enabled"
        case "not_found", "status_404": "check \"service_account\" and \"url\": there is no such project"
        default: "check \"service_account\": make a new key in the Firebase console under Project settings, Service accounts"
        }
    }

    private static func hms(_ reason: String) -> String {
        switch reason {
        case "hms_80300002": "enable Push Kit for the app in AppGallery Connect, and check \"app_id\""
        case "hms_80300011": "apply for the permission that it lacks in AppGallery Connect, under Push Kit"
        case "hms_80300013": "check the address for receipts in AppGallery Connect, under Push Kit, and its certificate"
        case "hms_80300007", "hms_80100000":
            "many devices belong to another app: check \"app_id\", and that \"routes\" lead the devices of each app to their own notifier"
        default: "check \"app_id\" and \"secret\": AppGallery Connect shows both in the project's settings"
        }
    }
}
