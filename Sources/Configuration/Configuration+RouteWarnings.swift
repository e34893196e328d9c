internal import Core

extension Configuration {
    /// Warnings about routes that are probably mistakes: device types are compared byte by byte, and no provider serves every phone.
    var routeWarnings: [ConfigurationWarning] {
        let types = Dictionary(notifiers.map { ($0.name, $0.type) }) { first, _ in first }
        return apps.enumerated().flatMap { index, app in
            app.routes.byType.compactMap { route -> ConfigurationWarning? in
                guard let message = Self.doubt(of: route.type, types[route.notifier], in: app.routes) else { return nil }
                return ConfigurationWarning(path: "$.apps[\(index)].routes.\(printable(route.type))", message: message)
            }
        }
    }

    private static func doubt(of type: String, _ notifier: NotifierType?, in routes: Configuration.Routes) -> LocalizedText? {
        if type == "*" {
            return LocalizedText(
                "takes only devices that registered with the type \"*\"; write \"default\" for all other types",
                "относится только к устройствам, которые зарегистрированы с типом \"*\"; для всех прочих типов пишите \"default\"")
        }
        let meant = NearestWord.nearest(to: type, in: ["ios", "android", "default"])
        if let meant, !routes.byType.contains(where: { $0.type == meant }) {
            return LocalizedText(
                "takes only devices that registered with exactly this type; if \"\(meant)\" is meant, write that",
                "относится только к устройствам точно с таким типом; если имелось в виду \"\(meant)\", пишите так")
        }
        guard type == "android" && notifier == .apns || type == "ios" && notifier == .rustore else { return nil }
        let name = notifier?.rawValue ?? ""
        return LocalizedText(
            "names a notifier of type \(name), which reaches no such devices; name one that does",
            "указывает на канал типа \(name), который таких устройств не достигает; укажите другой канал")
    }
}
