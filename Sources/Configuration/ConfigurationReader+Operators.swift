internal import Core
internal import JSON

extension ConfigurationReader {
    func operators(_ object: ConfigurationObject, known: NamedNotifiers) -> Configuration.Operators {
        Configuration.Operators(
            servesPage: object.bool("page"), notifiers: operatorNotifiers(object, known),
            thresholds: thresholds(object.section("thresholds", keys: Self.thresholdKeys)))
    }

    /// The notifiers of operator events. Push providers and relays cannot deliver them, because the events have no person.
    private func operatorNotifiers(_ object: ConfigurationObject, _ known: NamedNotifiers) -> [String] {
        var names: [String] = []
        guard let elements = object.array("notifiers") else { return object.standardTexts("notifiers") }
        for (value, path) in elements {
            guard case .string(let name) = value else {
                problems.add(path, "expected the name of a notifier, found \(value.kind)")
                continue
            }
            if !known.contains(name) {
                problems.add(path, known.unknownName(name))
            } else if let type = known.type(of: name), type != .log, type != .http {
                problems.add(
                    path, "a notifier of type \"\(type.rawValue)\" delivers no events for operators; use one of type \"http\" or \"log\"")
            }
            if names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { problems.add(path, "this notifier is listed twice") }
            names.append(name)
        }
        return names
    }

    private func thresholds(_ object: ConfigurationObject) -> OperatorThresholds {
        var thresholds = OperatorThresholds()
        thresholds.pausedSeconds = object.integer("paused_seconds")
        thresholds.queueLateSeconds = object.integer("queue_late_seconds")
        thresholds.expiresDays = object.integer("expires_days")
        thresholds.diskFreeMegabytes = object.integer("disk_free_megabytes")
        thresholds.denials = object.integer("denials")
        return thresholds
    }
}
