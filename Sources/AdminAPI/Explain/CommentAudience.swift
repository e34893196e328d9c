internal import Configuration
internal import Core
internal import Time

struct CommentAudience {
    private let appID: String
    private let subscriptions: AppSubscriptions
    /// Whether a push notifier is among them.
    let hasPush: Bool

    init(of appID: String, _ configuration: Configuration) {
        (self.appID, subscriptions) = (appID, AppSubscriptions(configuration))
        hasPush = subscriptions.comments(appID).contains { configuration.notifier($0.notifier)?.type.isPush == true }
    }

    var isEmpty: Bool { subscriptions.comments(appID).isEmpty }

    /// Whether a notifier receives comments for devices of a type.
    func serves(_ deviceType: String, by notifier: String) -> Bool {
        subscriptions.comments(appID).contains { $0.notifier == notifier && $0.deviceTypes.contains(deviceType) }
    }

    fileprivate func serving(_ deviceType: String) -> (push: [String], posts: [String]) {
        subscriptions.serving(appID, deviceType: deviceType)
    }
}

extension Device {
    /// The step that describes the device and its notifier.
    func step(_ audience: CommentAudience) -> Explanation.Step {
        let serving = audience.serving(type)
        let (registered, seen) = (RFC3339.text(registeredAt), RFC3339.text(seenAt))
        let since = LocalizedText(
            "Device \(key.deviceID) of the type \(type) is registered since \(registered), and was last seen at \(seen)",
            "Устройство \(key.deviceID) типа \(type) зарегистрировано с \(registered), последний раз на связи \(seen)")
        let references = [
            Explanation.Reference(name: "device_id", text: key.deviceID), Explanation.Reference(name: "user_id", text: key.userID),
        ]
        func step(_ outcome: Explanation.Outcome, text: LocalizedText, remedy: LocalizedText? = nil) -> Explanation.Step {
            Explanation.Step(
                .device, outcome: outcome, text: LocalizedText("\(since). \(text)", "\(since). \(text)"), at: seenAt, remedy: remedy,
                references: references)
        }
        if !serving.push.isEmpty {
            let names = serving.push.joined(separator: ", ")
            return step(.ok, text: LocalizedText("It is notified by \(names).", "Его уведомляет \(names)."))
        }
        if !serving.posts.isEmpty {
            let names = serving.posts.joined(separator: ", ")
            // With a push notifier for other types, this type may have been forgotten.
            return step(
                audience.hasPush ? .note : .ok,
                text: LocalizedText(
                    "No push notifier serves its type; \(names) gets its comments and must notify it.",
                    "Пуш-канала для этого типа нет; о комментариях узнаёт \(names), он и должен уведомить устройство."),
                remedy: audience.hasPush
                    ? LocalizedText(
                        "If \(names) does not notify it, lead the type to a push notifier in apps[].routes, and \(LocalizedText.reload).",
                        "Если \(names) его не уведомляет, направьте этот тип в пуш-канал в apps[].routes и \(LocalizedText.reload).")
                    : nil)
        }
        return step(
            .problem,
            text: LocalizedText(
                "No notifier serves devices of this type, so it is never notified.",
                "Ни один канал не обслуживает устройства этого типа, поэтому его никогда не уведомляют."),
            remedy: LocalizedText(
                "Lead the type to a notifier in apps[].routes, and \(LocalizedText.reload).",
                "Направьте этот тип в канал в apps[].routes и \(LocalizedText.reload)."))
    }
}
