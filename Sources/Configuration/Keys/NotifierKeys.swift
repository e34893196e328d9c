internal import Core
internal import Notifiers

/// The keys of notifiers.
extension ConfigurationReader {
    static let logNotifierKeys: ConfigurationKeys =
        [.required("type", .word([NotifierType.log.rawValue]), typeMeaning)] + requiresDeviceKeys

    static let httpKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.http.rawValue]), typeMeaning),
            .required("url", .address(), "where events are posted to"),
            .required("secret", .secrets, "signs them: `whsec_` and base64, as `deskgate secret new --signing` makes it"),
            .live("keeps_ticket_order", .bool(default: false), "whether an event waits until the earlier ones of its ticket have ended"),
        ] + requiresDeviceKeys + transportKeys(concurrency: 16) + allowHTTPKeys

    static let apnsKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.apns.rawValue]), typeMeaning),
            .required("key", .secret, "Apple's `.p8` file; or the certificate's private key in PEM"),
            .live("key_id", .text(), without: "required, but with `certificate`", "the key's id at Apple"),
            .live("team_id", .text(), without: "required, but with `certificate`", "the team's id"),
            .live("certificate", .path(), without: "required, but with `key_id`", "PEM: a certificate for APNs in place of a key"),
            .required("topic", .text(), "the app's bundle identifier"),
            .live("url", .address(default: APNsDestination.productionURL), "production"),
            .live("sandbox_url", .address(default: APNsDestination.sandboxURL), "sandbox"),
        ] + badgeKeys + pushStyleKeys + transportKeys(concurrency: 100) + allowHTTPKeys

    static let fcmKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.fcm.rawValue]), typeMeaning),
            .required("service_account", .secret, "the JSON file of a service account"),
            .live("url", .address(default: FCMDestination.defaultURL), "the API"),
        ] + badgeKeys + androidChannelKeys + pushStyleKeys + transportKeys(concurrency: 100) + allowHTTPKeys

    static let rustoreKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.rustore.rawValue]), typeMeaning),
            .required("project_id", .text(), "the project's id"),
            .required("token", .secret, "the service token"),
            .live("url", .address(default: RuStoreDestination.defaultURL), "the API"),
        ] + androidChannelKeys + pushStyleKeys + transportKeys(concurrency: 100) + allowHTTPKeys

    static let hmsKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.hms.rawValue]), typeMeaning),
            .required("app_id", .text(), "the app's id at Huawei, a number"),
            .required("secret", .secret, "the app's secret"),
            .live("url", .address(default: HMSDestination.defaultURL), "the API"),
            .live("token_url", .address(default: HuaweiTokenSource.tokenURL), "where access tokens come from"),
            .live(
                "category", .textOrNull(default: HMSDestination.defaultCategory),
                "the category of the messages at Huawei; `null` lets Huawei choose"),
        ] + androidChannelKeys + pushStyleKeys + transportKeys(concurrency: 100) + allowHTTPKeys
}
