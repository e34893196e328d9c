internal import Configuration
internal import JSON
internal import Simulators

/// What `simulate` prints: where the simulators are, then each push as a phone would show it.
struct SimulateWindow: Sendable {
    let isJSON: Bool

    /// Prints where everything is.
    func open(_ simulators: SimulatorSet, _ files: SimulatorFiles) {
        if isJSON {
            var urls = JSONObject()
            for provider in SimulatedProvider.allCases { urls.append(.string(simulators[provider].url), forKey: provider.rawValue) }
            return Console.print(["event": "ready", "urls": .object(urls), "directory": .string(files.directory)])
        }
        let rows = SimulatedProvider.allCases.map { "  \(Self.padded(Self.name(of: $0), 14))\(simulators[$0].url)" }
        Console.print(
            """
            Simulating:
            \(rows.joined(separator: "\n"))

            Credentials are in \(files.directory), and in \(files.path("notifiers.json")) what goes into the configuration.
            Each push that a phone would show follows.
            """)
    }

    /// Prints a push; one that was to be checked only says so.
    func show(_ push: SimulatedPush) {
        guard isJSON else { return Console.print(Self.line(push)) }
        Console.print([
            "event": "push", "provider": .string(push.provider.rawValue), "token": .string(push.token), "id": .string(push.id),
            "title": .string(push.title), "body": .string(push.body), "dry_run": .bool(push.isDryRun), "payload": push.payload,
        ])
    }

    /// What people call a provider.
    static func name(of provider: SimulatedProvider) -> String {
        switch provider {
        case .apns: "APNs"
        case .apnsSandbox: "APNs sandbox"
        case .fcm: "FCM"
        case .hms: "HMS"
        case .rustore: "RuStore"
        }
    }

    static func line(_ push: SimulatedPush) -> String {
        let text = push.title.isEmpty ? push.body : push.body.isEmpty ? push.title : "\(push.title): \(push.body)"
        let shown = text.isEmpty ? "(nothing to show)" : printable(text)
        let start = padded(name(of: push.provider), 14) + padded("\(printable(String(push.token.prefix(8))))…", 11)
        return start + (push.isDryRun ? "(checked only) \(shown)" : shown)
    }

    // What a stranger sent must not steer the terminal.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
