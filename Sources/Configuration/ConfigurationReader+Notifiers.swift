internal import JSON

/// What events are delivered to.
extension ConfigurationReader {
    func notifiers(in root: ConfigurationObject) -> [Configuration.Notifier] {
        switch root.value("notifiers") {
        case nil: return [Configuration.Notifier(name: "log", kind: .log)]
        case .object(let object)?:
            return object.members.compactMap { notifier($0.key, $0.value, path: "\(root.path(of: "notifiers")).\(printable($0.key))") }
        case .some(let value):
            problems.add(root.path(of: "notifiers"), "expected an object, found \(value.kind)")
            return []
        }
    }

    private func notifier(_ name: String, _ value: JSONValue, path: String) -> Configuration.Notifier? {
        if !Self.isName(name) { problems.add(path, "expected a name of 1 to 64 letters, digits, \"-\", \"_\" or \".\"") }
        let type = NamedNotifiers.type(of: value)
        // Of an unknown type nobody knows which keys it has.
        let keys = type?.keys ?? NotifierType.allCases.flatMap(\.keys)
        guard let object = ConfigurationObject(value, path: path, keys: keys, problems: problems) else { return nil }
        guard let type else {
            let types = NotifierType.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            let isMissing = object.value("type") == nil
            problems.add(object.path(of: "type"), isMissing ? "missing; give one of \(types)" : "expected one of \(types)")
            return nil
        }
        guard let kind = kind(type, object) else { return nil }
        return Configuration.Notifier(
            name: name, kind: kind, requiresDevice: object.bool("requires_device", default: type.requiresDevice))
    }

    private func kind(_ type: NotifierType, _ object: ConfigurationObject) -> Configuration.Notifier.Kind? {
        switch type {
        case .log: .log
        case .http: .http(httpDestination(object))
        case .relay(let helpDesk): .relay(relay(to: helpDesk, object))
        case .apns, .fcm, .rustore, .hms: push(type, object).map { .push($0) }
        }
    }

    private static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { SecretRules.isUnreserved($0) && $0 != UInt8(ascii: "~") }
    }
}
