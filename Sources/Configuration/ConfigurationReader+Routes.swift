internal import Core
internal import JSON

extension ConfigurationReader {
    /// The key for all other types of device.
    private static let others = "default"

    /// - Parameter notifiers: the app's notifiers for all devices.
    func routes(_ app: ConfigurationObject, known: NamedNotifiers, notifiers: [String]) -> Configuration.Routes {
        var routes = Configuration.Routes()
        guard let value = app.value("routes") else { return routes }
        let path = app.path(of: "routes")
        guard case .object(let object) = value else {
            problems.add(path, "expected an object such as {\"ios\": \"NOTIFIER\", \"default\": \"NOTIFIER\"}, found \(value.kind)")
            return routes
        }
        if object.members.isEmpty { problems.add(path, "expected at least one type of device, or \"default\"") }
        for member in object.members {
            let (type, value) = (member.key, member.value)
            let place = "\(path).\(printable(type))"
            if !(1...Device.longestType).contains(type.utf16.count) {
                problems.add(place, "expected a type of device of 1 to \(Device.longestType) UTF-16 code units")
            }
            guard let name = routeTarget(value, path: place, known: known, notifiers: notifiers) else { continue }
            if type.utf8.elementsEqual(Self.others.utf8) {
                routes.others = name
            } else {
                routes.byType.append(.init(type: type, notifier: name))
            }
        }
        return routes
    }

    private func routeTarget(_ value: JSONValue, path: String, known: NamedNotifiers, notifiers: [String]) -> String? {
        guard case .string(let name) = value else {
            problems.add(path, "expected the name of a notifier, found \(value.kind)")
            return nil
        }
        if !known.contains(name) {
            problems.add(path, known.unknownName(name))
        } else if let type = known.type(of: name), type.isRelay {
            problems.add(path, "a notifier of type \"\(type.rawValue)\" gets registrations only; name it in \"notifiers\"")
        } else if notifiers.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
            problems.add(path, "\"notifiers\" names this one for all devices already; remove it there or here")
        }
        return name
    }
}
