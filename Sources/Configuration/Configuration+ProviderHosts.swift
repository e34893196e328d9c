internal import Core
internal import Notifiers

extension Configuration {
    private static let providerHosts: [(host: String, type: NotifierType)] = [
        ("push.apple.com", .apns), ("fcm.googleapis.com", .fcm), ("push-api.cloud.huawei.com", .hms), ("vkpns.rustore.ru", .rustore),
    ]

    /// Warnings about push notifiers that have the address of another provider.
    var providerHostWarnings: [ConfigurationWarning] {
        notifiers.compactMap { notifier in
            guard case .push(let push) = notifier.kind, let host = try? DestinationURL(push.provider.url).host,
                let known = Self.providerHosts.first(where: { host == $0.host || host.hasSuffix(".\($0.host)") }),
                known.type != notifier.type
            else { return nil }
            return ConfigurationWarning(
                path: "$.notifiers.\(notifier.name).url",
                message: LocalizedText(
                    "is an address for notifiers of type \(known.type.rawValue); remove it, and the one of this type is called",
                    "— адрес для каналов типа \(known.type.rawValue); уберите его, и будет вызываться адрес этого типа"))
        }
    }
}

extension PushDestination {
    fileprivate var url: String {
        switch self {
        case .apns(let apns): apns.url
        case .fcm(let fcm): fcm.url
        case .rustore(let rustore): rustore.url
        case .hms(let hms): hms.url
        }
    }
}
