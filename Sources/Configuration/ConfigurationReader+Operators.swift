internal import Core
internal import JSON

/// What operators have, and of what they are told.
extension ConfigurationReader {
    static let operatorsKeys = ConfigurationKeys.live("page", "notifiers", "thresholds")
    static let thresholdKeys = ConfigurationKeys.live(
        "paused_seconds", "queue_late_seconds", "expires_days", "disk_free_megabytes", "denials")

    func operators(_ object: ConfigurationObject, known: NamedNotifiers) -> Configuration.Operators {
        Configuration.Operators(
            servesPage: object.bool("page", default: true), notifiers: operatorNotifiers(object, known),
            thresholds: thresholds(object.section("thresholds", keys: Self.thresholdKeys)))
    }

    /// The notifiers that are told: events about nobody pass through neither a push provider nor a relay.
    private func operatorNotifiers(_ object: ConfigurationObject, _ known: NamedNotifiers) -> [String] {
        var names: [String] = []
        let elements = object.array("notifiers") ?? object.standard("notifiers", []) { _ in .array([]) }
        for (value, path) in elements {
            guard case .string(let name) = value else {
                problems.add(path, "expected the name of a notifier, found \(value.kind)")
                continue
            }
            if !known.contains(name) {
                problems.add(path, known.unknownName)
            } else if let type = known.type(of: name), type != .log, type != .http {
                problems.add(
                    path, "a notifier of type \"\(type.rawValue)\" passes on no events for operators; name one of type \"http\" or \"log\"")
            }
            if names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { problems.add(path, "this notifier is named twice") }
            names.append(name)
        }
        return names
    }

    private func thresholds(_ object: ConfigurationObject) -> OperatorThresholds {
        var thresholds = OperatorThresholds()
        thresholds.pausedSeconds = object.integer("paused_seconds", 1...86_400, default: thresholds.pausedSeconds)
        thresholds.queueLateSeconds = object.integer("queue_late_seconds", 1...30 * 86_400, default: thresholds.queueLateSeconds)
        thresholds.expiresDays = object.integer("expires_days", 0...3650, default: thresholds.expiresDays)
        thresholds.diskFreeMegabytes = object.integer("disk_free_megabytes", 0...1_000_000_000, default: thresholds.diskFreeMegabytes)
        thresholds.denials = object.integer("denials", 1...1_000_000_000, default: thresholds.denials)
        return thresholds
    }
}
