package import Configuration
internal import Core
package import Observability
internal import Threading
package import Time

/// Examines a configuration and the machine that is to run the service.
///
/// The doctor changes nothing. All checks run concurrently, each on a separate thread and with a deadline, because a disk, a name server or
/// a provider may hang. A check that exceeds its deadline is abandoned, so the process should end soon afterwards.
package struct Doctor {
    /// The timeout of a check in milliseconds.
    private static let patience: UInt64 = TimeLimit.milliseconds(10_000)
    /// The timeout, in milliseconds, of checks that call providers over the network.
    private static let providerPatience: UInt64 = TimeLimit.milliseconds(30_000)

    package static let packagedUnit = "deskgate.service"

    private static let slowDisk = "the disk hangs; see dmesg"
    private static let slowService = "the service does not answer in time; see its log"
    private static let slowStore = "the store does not answer in time; see dmesg, and for PostgreSQL its log"
    private static let slowSearch =
        "the search of the store for damage was stopped, because it takes long; a backup searches the whole store"

    private let file: String
    private let logger: Logger
    private let clocks: Clocks
    private let unit: String
    private let places: SystemPaths
    private let start: @Sendable (Configuration) -> String

    /// Prepares an examination.
    /// - Parameters:
    ///   - file: the path of the configuration.
    ///   - logger: receives the log lines of the notifier trials.
    ///   - unit: the systemd unit that runs the service, if there is one.
    ///   - start: returns the command that starts the service with a configuration.
    package init(
        file: String, logger: Logger, clocks: Clocks = .system, unit: String = Self.packagedUnit, places: SystemPaths = .system,
        start: @escaping @Sendable (Configuration) -> String = { $0.serveLine }
    ) {
        self.file = file
        self.logger = logger
        self.clocks = clocks
        self.unit = unit
        self.places = places
        self.start = start
    }

    /// Runs the checks. Takes as long as the slowest check, at most 30 seconds.
    /// - Returns: the findings in the order of their subjects, and whether all checks have ended. If a check was abandoned, the process
    ///   must end without waiting for its threads (`Process.abandon`).
    package func examine() -> (findings: [DoctorFinding], isComplete: Bool) {
        do throws(ConfigurationError) {
            let configuration = try Configuration(contentsOf: file)
            let parts = PartCheck(configuration, in: file, now: clocks.unixSeconds())
            return run(checks(of: configuration, parts) + checks(of: parts))
        } catch {
            let parts = PartCheck(nil, in: file, now: clocks.unixSeconds())
            return run(checks(beside: error, parts) + checks(of: parts))
        }
    }

    private func checks(of parts: PartCheck) -> [DoctorCheck] {
        let machine = MachineCheck(clocks: clocks)
        return [
            DoctorCheck(.clock, else: Self.slowDisk) { [machine.clock()] + parts.files(machine) },
            DoctorCheck(.service, else: Self.slowService, examine: parts.problems),
            DoctorCheck(.store, else: Self.slowStore, examine: parts.examineStore),
            DoctorCheck(.store, lateness: .warning, else: Self.slowSearch, examine: parts.damage),
        ]
    }

    private func checks(beside mistakes: ConfigurationError, _ parts: PartCheck) -> [DoctorCheck] {
        [
            DoctorCheck(.configuration, else: Self.slowDisk) { [file] in
                mistakes.problems.map { DoctorFinding(.configuration, state: .problem, message: $0.line(in: file)) } + parts.omitted
            },
            DoctorCheck(.ports, else: Self.slowService, examine: parts.ports),
        ]
    }

    private func checks(of configuration: Configuration, _ parts: PartCheck) -> [DoctorCheck] {
        let service = ServiceCheck(
            configuration: configuration, logger: logger, now: clocks.unixSeconds(), start: start(configuration), parts: parts)
        let machine = MachineCheck(clocks: clocks)
        // Runs before other threads access files, because the whole process briefly takes the owner's rights.
        let unreadable = configuration.unreadableFiles
        return [
            DoctorCheck(.configuration, else: Self.slowDisk) { [file] in service.configuration(file, unreadable) },
            DoctorCheck(.limits, else: "systemd does not answer, or \(Self.slowDisk)") { supervision(of: configuration) },
            DoctorCheck(.limits, else: Self.slowDisk) { machine.disk(configuration) },
            DoctorCheck(.ports, else: Self.slowService, examine: service.ports),
            DoctorCheck(
                .providers, else: "a provider does not answer in time; see deskgate check --live", milliseconds: Self.providerPatience,
                examine: service.providers),
        ]
            + configuration.calledHosts.map { path, host in
                DoctorCheck(.dns, else: "\(host) (\(path)) is not resolved in time; see the name servers in /etc/resolv.conf") {
                    [machine.resolve(host, for: path)]
                }
            }
    }

    /// Compares the limits and the unit of the service with the configuration.
    func supervision(of configuration: Configuration) -> [DoctorFinding] {
        let settings = places.shown(unit) ?? places.written(unit)
        let limits = LimitCheck(configuration: configuration, unit: settings, places: places)
        let fits = settings.map { UnitCheck(configuration: configuration, unit: $0, places: places).examine(file) } ?? [missingUnit]
        return [limits.openFiles()] + limits.controlGroup() + fits
    }

    /// A service without systemd has no unit, so a missing default unit is not a problem. A unit that was named explicitly must exist.
    private var missingUnit: DoctorFinding {
        let message = "not checked: systemd knows no unit \(unit), or does not run, and there is no file of that name"
        return unit == Self.packagedUnit
            ? DoctorFinding(.unit, state: .ok, message: message)
            : DoctorFinding(.unit, state: .warning, message: "\(message); correct the name (--unit)")
    }

    /// Runs checks concurrently. Takes at most as long as the longest timeout.
    func run(_ checks: [DoctorCheck]) -> (findings: [DoctorFinding], isComplete: Bool) {
        let start = clocks.monotonicMilliseconds()
        let running = checks.map { (check: $0, result: $0.start()) }
        let found = running.map { check, result in
            let limit = check.milliseconds ?? Self.patience
            let passed = clocks.monotonicMilliseconds().elapsed(since: start)
            return (check: check, findings: result.wait(timeoutMilliseconds: limit - min(limit, passed)) { $0 })
        }
        let findings = found.flatMap { $0.findings ?? [$0.check.late] }
        let sorted = DoctorFinding.Subject.allCases.flatMap { subject in findings.filter { $0.subject == subject } }
        return (sorted, found.allSatisfy { $0.findings != nil })
    }
}

/// A check of the doctor. It may block.
struct DoctorCheck {
    let late: DoctorFinding
    /// The timeout of the check; nil for the default.
    let milliseconds: UInt64?
    private let examine: @Sendable () -> [DoctorFinding]

    init(
        _ subject: DoctorFinding.Subject, lateness: DoctorFinding.State = .problem, else hindrance: String, milliseconds: UInt64? = nil,
        examine: @escaping @Sendable () -> [DoctorFinding]
    ) {
        late = DoctorFinding(subject, state: lateness, message: hindrance)
        self.milliseconds = milliseconds
        self.examine = examine
    }

    /// Runs the check on a separate thread.
    /// - Returns: a monitor that receives the findings when the check ends.
    func start() -> Monitor<[DoctorFinding]?> {
        let result = Monitor<[DoctorFinding]?>(nil)
        do throws(ThreadError) {
            let thread = try DedicatedThread { [examine] in
                let findings = examine()
                result.update { $0 = findings }
            }
            thread.detach()
        } catch {
            let finding = DoctorFinding(late.subject, state: .problem, message: "not checked: \(error)")
            result.update { $0 = [finding] }
        }
        return result
    }
}
