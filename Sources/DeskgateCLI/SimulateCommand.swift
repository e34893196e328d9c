internal import POSIX
internal import Simulators

/// `deskgate simulate`
enum SimulateCommand: Command {
    static let name = "simulate"
    static let summary = "Simulates the push providers on this machine, faults included, until SIGTERM or SIGINT."
    static let options =
        [
            Option(
                "directory", value: "DIR", required: true,
                "where fresh credentials, the certificate authority and notifiers.json are written, for their owner only")
        ]
        + SimulatedProvider.allCases.map { provider in
            Option(portOption(provider), value: "N", default: "any", "the port of \(SimulateWindow.name(of: provider))")
        } + [
            Option("script", value: "FILE", "a JSON file with faults and devices; docs/SIMULATORS.md describes it"),
            Option("fault", value: "JSON", repeatable: true, #"one fault, such as {"provider":"fcm","answer":{"status":503}}"#),
            Option("json", "print one JSON object a line, for machines: first the addresses, then each push with its token"),
        ]

    // A script is written by hand.
    private static let scriptLimit = 1 << 20

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        try Arguments.refuseKey(arguments.required("directory"), as: "--directory")
        // Before any thread is made, so that none of them takes a signal.
        let signals = Signals()
        let window = SimulateWindow(isJSON: arguments.has("json"))
        var settings = SimulatorSettings()
        for provider in SimulatedProvider.allCases {
            settings.ports[provider] = try arguments.number(portOption(provider), in: 0...65535).map { UInt16($0) }
        }
        settings.observer = { window.show($0) }
        let (faults, devices) = (FaultScript(), DeviceRegistry())
        try readScript(arguments["script"], into: faults, devices)
        for text in arguments.all("fault") { try readFault(text, into: faults) }
        let simulators = try start(settings, faults, devices)
        defer { simulators.stop() }
        return try serve(simulators, arguments.required("directory"), window, signals)
    }

    private static func start(
        _ settings: SimulatorSettings, _ faults: FaultScript, _ devices: DeviceRegistry
    ) throws(CommandError) -> SimulatorSet {
        do throws(SimulatorSet.Failure) {
            return try SimulatorSet(settings, faults: faults, devices: devices)
        } catch {
            throw .failed(error.description)
        }
    }

    private static func serve(
        _ simulators: SimulatorSet, _ directory: String, _ window: SimulateWindow, _ signals: Signals
    ) throws(CommandError) -> ExitCode {
        do throws(SystemError) {
            let files = try SimulatorFiles(directory: directory)
            try files.write(simulators)
            window.open(simulators, files)
        } catch {
            throw .option("directory", "cannot write into \(directory): \(error); give one that you may write into")
        }
        while signals.next() == .reload {}
        signals.endAtOnce()
        return .done
    }

    private static func portOption(_ provider: SimulatedProvider) -> String {
        "\(provider.rawValue)-port"
    }

    private static func readScript(_ path: String?, into faults: FaultScript, _ devices: DeviceRegistry) throws(CommandError) {
        guard let path else { return }
        try Arguments.refuseKey(path, as: "--script")
        let bytes: [UInt8]
        do throws(SystemError) {
            bytes = try File.read(path, limit: scriptLimit).bytes
        } catch {
            throw .option("script", "cannot read \(path): \(error)")
        }
        do throws(FaultReader.Mistake) {
            try FaultReader.read(script: bytes, into: faults, devices)
        } catch {
            throw .option("script", "\(error)")
        }
    }

    private static func readFault(_ text: String, into faults: FaultScript) throws(CommandError) {
        do throws(FaultReader.Mistake) {
            try FaultReader.read(fault: Array(text.utf8), into: faults)
        } catch {
            throw .option("fault", "\(error)")
        }
    }
}
