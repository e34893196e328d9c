internal import Core
internal import Notifiers

extension ConfigurationReader {
    static let logNotifierKeys: ConfigurationKeys =
        [.required("type", .word([NotifierType.log.rawValue]), meaning: typeMeaning)] + requiresDeviceKeys

    static let httpKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.http.rawValue]), meaning: typeMeaning),
            .required("url", .address(), meaning: "address that receives events"),
            .required("secret", .secrets, meaning: "[signing secrets](#secrets)"),
            .live("keeps_ticket_order", .bool(default: false), meaning: "delays an event until earlier ones of its ticket have ended"),
        ] + requiresDeviceKeys + transportKeys(concurrency: 16) + allowHTTPKeys

    static let apnsKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.apns.rawValue]), meaning: typeMeaning),
            .required("key", .secret, meaning: "Apple's `.p8` file, or the certificate's PEM private key"),
            .live("key_id", .text(), without: "required without `certificate`", meaning: "the key's id at Apple"),
            .live("team_id", .text(), without: "required without `certificate`", meaning: "the team's id"),
            .live("certificate", .path(), without: "required without `key_id`", meaning: "PEM certificate for APNs, in place of a key"),
            .required("topic", .text(), meaning: "the app's bundle identifier"),
            .live("url", .address(default: APNsDestination.productionURL), meaning: "production"),
            .live("sandbox_url", .address(default: APNsDestination.sandboxURL), meaning: "sandbox"),
        ] + badgeKeys + pushStyleKeys + transportKeys(concurrency: 100) + allowHTTPKeys

    static let fcmKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.fcm.rawValue]), meaning: typeMeaning),
            .required("service_account", .secret, meaning: "JSON file of a service account"),
            .live("url", .address(default: FCMDestination.defaultURL), meaning: "the API"),
        ] + badgeKeys + androidChannelKeys + pushStyleKeys + transportKeys(concurrency: 100) + allowHTTPKeys

    static let rustoreKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.rustore.rawValue]), meaning: typeMeaning),
            .required("project_id", .text(), meaning: "the project's id"),
            .required("token", .secret, meaning: "the service token"),
            .live("url", .address(default: RuStoreDestination.defaultURL), meaning: "the API"),
        ] + androidChannelKeys + pushStyleKeys + transportKeys(concurrency: 100) + allowHTTPKeys

    static let hmsKeys: ConfigurationKeys =
        [
            .required("type", .word([NotifierType.hms.rawValue]), meaning: typeMeaning),
            .required("app_id", .text(), meaning: "the app's id at Huawei, a number"),
            .required("secret", .secret, meaning: "the app's secret"),
            .live("url", .address(default: HMSDestination.defaultURL), meaning: "the API"),
            .live("token_url", .address(default: HuaweiTokenSource.tokenURL), meaning: "address that issues access tokens"),
            .live(
                "category", .textOrNull(default: HMSDestination.defaultCategory),
                meaning: "Huawei message category; with `null`, Huawei chooses"),
        ] + androidChannelKeys + pushStyleKeys + transportKeys(concurrency: 100) + allowHTTPKeys
}
