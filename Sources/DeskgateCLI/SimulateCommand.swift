internal import JSON
internal import POSIX
internal import Simulators

/// `deskgate simulate`
enum SimulateCommand {
    static let command = Command(
        "simulate", "Simulates the push providers and Sendbird on this machine, faults included, until SIGTERM or SIGINT.",
        options: [
            Option(
                "directory", value: .directory, required: true,
                "the directory for new credentials, the certificate authority and notifiers.json, readable only by their owner")
        ]
            + SimulatedProvider.push.map { provider in
                Option(
                    portOption(provider), value: .number(0...65535), default: "any", "the port of \(SimulateWindow.name(of: provider))")
            } + [
                Option("sendbird-desk-port", value: .number(0...65535), default: "any", "the port of Sendbird Desk"),
                Option("sendbird-chat-port", value: .number(0...65535), default: "any", "the port of Sendbird Chat"),
                Option(
                    "sendbird-app", value: .text("ID"), default: SimulatedChatSettings.defaultAppID,
                    "the app_id that Sendbird Chat's webhooks name"),
                Option(
                    "sendbird-rate", value: .number(1...1_000_000), default: "\(SimulatedChatSettings.defaultRequestsPerSecond)",
                    "the requests of a kind per second that Sendbird Chat accepts; further ones get 429"),
                Option(
                    "desk-webhook", value: .text("URL"),
                    "the address for Sendbird Desk's webhooks, such as http://127.0.0.1:8080/sendbird/desk-webhook/my-app"),
                Option(
                    "chat-webhook", value: .text("URL"),
                    "the address for Sendbird Chat's webhooks, such as http://127.0.0.1:8080/sendbird/chat-webhook/my-app"),
                Option("script", value: .file, "a JSON file with faults and devices; docs/SIMULATORS.md describes it"),
                Option(
                    "fault", value: .text("JSON"), repeatable: true, #"one fault, such as {"provider":"fcm","answer":{"status":503}}"#),
                Option("json", "print one JSON object a line, for machines: first the addresses, then each push with its token"),
            ],
        examples: [
            Example("deskgate simulate --directory data/simulator", "Simulates every provider on free ports."),
            Example(
                #"deskgate simulate --directory data/simulator --fault '{"provider":"fcm","answer":{"status":503}}'"#,
                "Makes FCM fail once."),
        ], run: run)

    /// The maximum size of a script in bytes, ample for one written by hand.
    private static let scriptLimit = 1 << 20
    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        // Before any thread is started, so that all threads inherit the blocked signals.
        let signals = try explaining { () throws(SystemError) in try Signals() }
        let window = SimulateWindow(isJSON: arguments.has("json"))
        var settings = SimulatorSettings()
        for provider in SimulatedProvider.push { settings.ports[provider] = arguments.number(portOption(provider)) }
        settings.observer = { window.show($0) }
        let (faults, devices) = (FaultScript(), DeviceRegistry())
        try readFaults(arguments, into: faults, devices)
        let directory = arguments.required("directory")
        let cannotWrite = { (error: SystemError) -> CommandError in
            .option("directory", "cannot write into \(directory): \(error); choose a directory with write permission")
        }
        // Before the simulators start, which takes a second in which `init` would read the file of an earlier run.
        let files = try explaining(
            { () throws(SystemError) -> SimulatorFiles in
                let files = try SimulatorFiles(directory: directory)
                try files.removeNotifiers()
                return files
            }, as: cannotWrite)
        let simulators = try explaining { [settings] () throws(SimulatorSet.Failure) in
            try SimulatorSet(settings, faults: faults, devices: devices)
        }
        defer { simulators.stop() }
        let sendbird = try explaining { () throws(SimulatorSet.Failure) in
            try SimulatedSendbird(sendbirdSettings(arguments, window), faults: faults)
        }
        defer { sendbird.stop() }
        try explaining(
            { () throws(SystemError) in
                try files.write(simulators)
                try files.write(sendbird)
                window.open(simulators, sendbird: sendbird, files: files)
            }, as: cannotWrite)
        while case .reload = signals.next() {}
        signals.endAtOnce()
        return .done
    }

    private static func sendbirdSettings(_ arguments: Arguments, _ window: SimulateWindow) -> SimulatedSendbirdSettings {
        var settings = SimulatedSendbirdSettings()
        settings.desk.port = arguments.number(portOption(.sendbirdDesk)) ?? 0
        settings.desk.webhookURL = arguments["desk-webhook"]
        settings.desk.observer = { window.show($0) }
        settings.chat.port = arguments.number(portOption(.sendbirdChat)) ?? 0
        settings.chat.appID = arguments["sendbird-app"] ?? settings.chat.appID
        settings.chat.requestsPerSecond = arguments.number("sendbird-rate") ?? settings.chat.requestsPerSecond
        settings.chat.webhookURL = arguments["chat-webhook"]
        settings.chat.observer = { window.show($0) }
        return settings
    }

    private static func portOption(_ provider: SimulatedProvider) -> String {
        "\(provider.rawValue)-port"
    }

    private static func readFaults(_ arguments: Arguments, into faults: FaultScript, _ devices: DeviceRegistry) throws(CommandError) {
        if let path = arguments["script"] {
            let bytes = try explaining { () throws(SystemError) in
                try File.read(path, limit: scriptLimit).bytes
            } as: {
                .option("script", "cannot read \(path): \($0)")
            }
            try explaining { () throws(FaultReader.Problem) in
                try FaultReader.read(script: bytes, into: faults, devices)
            } as: {
                .option("script", "\($0)")
            }
        }
        for text in arguments.all("fault") {
            try explaining { () throws(FaultReader.Problem) in
                try FaultReader.read(fault: Array(text.utf8), into: faults)
            } as: {
                .option("fault", "\($0)")
            }
        }
    }
}

/// The output of `simulate`: the simulators' addresses, then each push in the form of a notification.
struct SimulateWindow: Sendable {
    let isJSON: Bool

    func open(_ simulators: SimulatorSet, sendbird: SimulatedSendbird, files: SimulatorFiles) {
        let addresses =
            SimulatedProvider.push.map { ($0, simulators[$0].url) }
            + [(.sendbirdDesk, sendbird.desk.url), (.sendbirdChat, sendbird.chat.url)]
        if isJSON {
            var urls = JSONObject()
            for (provider, url) in addresses { urls.append(.string(url), forKey: provider.rawValue) }
            return Console.print(["event": "ready", "urls": .object(urls), "directory": .string(files.directory)])
        }
        let rows = addresses.map { provider, url in "  \(Self.padded(Self.name(of: provider), 14))\(url)" }
        Console.print(
            """
            Simulating:
            \(rows.joined(separator: "\n"))

            Credentials are in \(files.directory), and in \(files.path("notifiers.json")) and \(files.path("sendbird.json")) what goes
            into the configuration: `notifiers`, and members of an app's `sendbird`.
            Each push that a phone would show follows.
            """)
    }

    /// Prints a push, or only that it was a dry run.
    func show(_ push: SimulatedPush) {
        guard isJSON else { return Console.print(Self.line(push)) }
        Console.print([
            "event": "push", "provider": .string(push.provider.rawValue), "token": .string(push.token), "id": .string(push.id),
            "title": .string(push.title), "body": .string(push.body), "dry_run": .bool(push.isDryRun), "payload": push.payload,
        ])
    }

    /// Prints a webhook that was sent or given up.
    func show(_ webhook: SimulatedWebhooks.Sent) {
        guard isJSON else {
            let end = webhook.status.map { "answered \($0)" } ?? "not answered"
            let tries = webhook.tries == 1 ? "" : ", try \(webhook.tries)"
            return Console.print(Self.padded(Self.name(of: webhook.provider), 14) + "\(webhook.event) \(end)\(tries)")
        }
        Console.print([
            "event": "webhook", "provider": .string(webhook.provider.rawValue), "type": .string(webhook.event),
            "status": webhook.status.map { .integer(Int64($0)) } ?? .null, "tries": .integer(Int64(webhook.tries)),
        ])
    }

    static func name(of provider: SimulatedProvider) -> String {
        switch provider {
        case .apns: "APNs"
        case .apnsSandbox: "APNs sandbox"
        case .fcm: "FCM"
        case .hms: "HMS"
        case .rustore: "RuStore"
        case .sendbirdDesk: "Sendbird Desk"
        case .sendbirdChat: "Sendbird Chat"
        }
    }

    static func line(_ push: SimulatedPush) -> String {
        let text = push.title.isEmpty ? push.body : push.body.isEmpty ? push.title : "\(push.title): \(push.body)"
        let shown = text.isEmpty ? "(nothing to show)" : Console.printable(text)
        let start = padded(name(of: push.provider), 14) + padded("\(Console.printable(String(push.token.prefix(8))))…", 11)
        return start + (push.isDryRun ? "(checked only) \(shown)" : shown)
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
