internal import Core
internal import Notifiers

extension ConfigurationReader {
    static let logNotifierKeys: ConfigurationKeys =
        [.required("type", .word([NotifierType.log.rawValue]), typeMeaning)] + requiresDeviceKeys

    static let httpKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.http.rawValue]), typeMeaning),
            .required("url", .address(), "address that receives events"),
            .required("secret", .secrets, "[signing secrets](#secrets)"),
            .live("keeps_ticket_order", .bool(default: false), "delays an event until earlier ones of its ticket have ended"),
        ] + requiresDeviceKeys + transportKeys(concurrency: 16) + allowHTTPKeys

    static let apnsKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.apns.rawValue]), typeMeaning),
            .required("key", .secret, "Apple's `.p8` file, or the certificate's PEM private key"),
            .live("key_id", .text(), without: "required without `certificate`", "the key's id at Apple"),
            .live("team_id", .text(), without: "required without `certificate`", "the team's id"),
            .live("certificate", .path(), without: "required without `key_id`", "PEM certificate for APNs, in place of a key"),
            .required("topic", .text(), "the app's bundle identifier"),
            .live("url", .address(default: APNsDestination.productionURL), "production"),
            .live("sandbox_url", .address(default: APNsDestination.sandboxURL), "sandbox"),
        ] + badgeKeys + pushStyleKeys + transportKeys(concurrency: 100) + allowHTTPKeys

    static let fcmKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.fcm.rawValue]), typeMeaning),
            .required("service_account", .secret, "JSON file of a service account"),
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
            .live("token_url", .address(default: HuaweiTokenSource.tokenURL), "address that issues access tokens"),
            .live("category", .textOrNull(default: HMSDestination.defaultCategory), "Huawei message category; with `null`, Huawei chooses"),
        ] + androidChannelKeys + pushStyleKeys + transportKeys(concurrency: 100) + allowHTTPKeys
}
