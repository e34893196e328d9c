internal import AdminAPI
internal import Configuration
internal import Core
internal import Crypto
internal import JSON
internal import Service
internal import Time

/// `deskgate secret rotate`
enum SecretRotateCommand {
    private static let daySeconds: UInt64 = 24 * 3600
    private static let defaultUnusedDays: UInt64 = 30

    static let command = Command(
        "secret rotate", "Shows the next step of the rotation of an app's secret, and performs it with --apply.",
        details: "The steps: a new key is added, which only verifies; it becomes the active one; the old one is removed. Each edits the "
            + "configuration file. Reload every replica after each.",
        exits: [.negative: "when the step must wait"],
        options: [
            .config, Option("app", value: .app, required: true, "the app_id"),
            Option("apply", "perform the step, if it is due"), Option("check", "only report, as without --apply"),
            Option(
                "unused-days", value: .number(0...36500), default: "the app's longest_life_seconds in days, or \(defaultUnusedDays)",
                "the days without use of the old key before it is removed"),
            Option("force", "perform the step even if replicas have not applied the previous one, or the old key was used"), .json,
        ],
        examples: [
            Example("deskgate secret rotate --app my-app", "Shows the next step and whether it is due."),
            Example("deskgate secret rotate --app my-app --apply", "Performs it."),
        ], run: run)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        guard !arguments.has("apply") || !arguments.has("check") else { throw .option("check", "excludes --apply") }
        let file = try ConfigurationRewrite(arguments.configurationFile())
        let configuration = try arguments.configuration()
        let app = arguments.required("app")
        guard let index = configuration.apps.firstIndex(where: { $0.id.utf8.elementsEqual(app.utf8) }) else {
            throw KeyCommands.unknownApp(configuration)
        }
        let now = Clocks.system.unixSeconds()
        let status = RotationStatus(of: configuration)
        let revoked = status.revokedKeys(of: app)
        let rotation = rotation(of: configuration.apps[index], revoked, policy: configuration.keyPolicy, now: now)
        guard let step = rotation.next else { throw .failed("the app has a key with the largest id, so none can be added") }
        let authorizer = try explaining { () throws(CryptoError) in try configuration.makeAuthorizer() }
        let unusedDays = arguments.number("unused-days") ?? unusedDays(configuration.apps[index], configuration.keyPolicy)
        let obstacle = status.obstacle(
            to: step, app: app, keysDigest: authorizer.keysDigest,
            unusedSeconds: rotation.isRemovable(step.keyID) ? 0 : unusedDays * daySeconds, now: now)
        var report = RotationReport(app: app, step: step, unusedDays: unusedDays)
        if let obstacle, !arguments.has("force") {
            report.outcome = .waits(obstacle)
        } else if arguments.has("apply") {
            report.outcome = .done(
                secretFile: try apply(step, app: app, index: index, revoked: revoked, file: file, configuration: configuration))
        }
        Console.answer(arguments, json: report.json(status), text: report.text)
        if case .waits = report.outcome { return .negative }
        return .done
    }

    private static func rotation(
        of app: Configuration.App, _ revoked: [UInt32], policy: KeyPolicy, now: UnixSeconds
    ) -> KeyRotation {
        KeyRotation(
            app.keys.map {
                KeyRotation.Key(
                    id: $0.id, state: $0.state, isOver: policy.isOver($0.notAfter, now: now), isRevoked: revoked.contains($0.id))
            })
    }

    /// The maximum lifetime of a key in days: if the old secret was not used for that long, none of its keys is still valid.
    private static func unusedDays(_ app: Configuration.App, _ policy: KeyPolicy) -> UInt64 {
        policy.narrowed(by: app.keyLifetime).maximumLifetimeSeconds.map { ($0 + daySeconds - 1) / daySeconds } ?? defaultUnusedDays
    }

    /// Edits the configuration file.
    /// - Returns: the file of the new secret; nil for the other steps.
    private static func apply(
        _ step: KeyRotation.Step, app: String, index: Int, revoked: [UInt32], file: ConfigurationRewrite,
        configuration: Configuration
    ) throws(CommandError) -> String? {
        var edit = try explaining { () throws(KeyEdit.Failure) in try KeyEdit(file.text, app: index) }
        var secret: NewSecretFile?
        switch step {
        case .add(let id):
            let made = try NewSecretFile(app: app, keyID: id, beside: edit.newestSecretFile, of: file)
            edit.add(id: id, file: made.name)
            secret = made
        case .activate(let id):
            for key in configuration.apps[index].keys where key.id != id && key.state == .active {
                try explaining { () throws(KeyEdit.Failure) in try edit.set(.verifyOnly, of: key.id) }
            }
            try explaining { () throws(KeyEdit.Failure) in try edit.set(.active, of: id) }
        case .retire(let id):
            try explaining { () throws(KeyEdit.Failure) in try edit.remove(id) }
        }
        do throws(CommandError) {
            try file.replace(with: edit.edited) { next in
                guard let app = next.apps.indices.contains(index) ? next.apps[index] : nil else { return false }
                let now = Clocks.system.unixSeconds()
                let earlier = rotation(of: configuration.apps[index], revoked, policy: next.keyPolicy, now: now)
                return rotation(of: app, revoked, policy: next.keyPolicy, now: now).follows(step, earlier)
            }
        } catch {
            secret?.remove()
            throw error
        }
        return secret?.path
    }
}
