internal import AdminAPI
internal import Configuration
internal import Core
internal import Dispatch
internal import Threading
internal import Time

/// The conditions that this process detects now; the rules are those of `Core/Operators`.
extension OperatorWatch {
    func findings(
        _ open: [OperatorCondition], pending: [PendingDeliveries], problems: [SevereProblem], state: inout State
    ) -> [Finding] {
        let observations = inbox.withLock { $0.observations }
        let waiting = Dictionary(pending.map { (ByteKey($0.notifier), $0) }) { first, _ in first }
        return pauses(observations, waiting: waiting, state: &state) + queues(waiting, state.configuration)
            + credentials(observations, state.configuration) + disks(state.configuration)
            + state.denials.findings(authorizeRequests, configuration: state.configuration, open: open, now: clocks.monotonicMilliseconds())
            + events(problems.filter(\.hasEvent), open: open, state: &state)
    }

    /// A condition that is absent, possibly only since a restart, is over after a while.
    private func events(_ found: [SevereProblem], open: [OperatorCondition], state: inout State) -> [Finding] {
        let now = clocks.monotonicMilliseconds()
        let there = Set(found.map(\.key))
        let unseen = open.map(\.key).filter { $0.kind == .problem && !there.contains($0) }
        let before = state.problemsSeenAt
        state.problemsSeenAt = Dictionary(uniqueKeysWithValues: there.map { ($0, now) } + unseen.map { ($0, before[$0] ?? now) })
        return found.map { Finding(key: $0.key, status: .holds, data: $0.data) }
            + unseen.map { key in
                let milliseconds = now.elapsed(since: before[key] ?? now)
                return Finding(key: key, status: ProblemRule.status(unseenMilliseconds: milliseconds, state.configuration.thresholds))
            }
    }

    private func pauses(
        _ observations: [NotifierObservation], waiting: [ByteKey: PendingDeliveries], state: inout State
    ) -> [Finding] {
        let now = clocks.monotonicMilliseconds()
        var troubles: [ByteKey: NotifierPauseReporter] = [:]
        let findings = observations.map { seen in
            let name = ByteKey(seen.name)
            var trouble = state.troubles[name] ?? NotifierPauseReporter()
            let count = waiting[name]?.count ?? 0
            let status = trouble.status(
                NotifierPauseReporter.Observation(isStopped: seen.isStopped, successes: seen.successes, waiting: count), now: now,
                state.configuration.thresholds)
            troubles[name] = trouble
            return Finding(
                key: OperatorCondition.Key(.notifierPaused, seen.name), status: status,
                data: status == .holds ? data(seen, waiting: count, configuration: state.configuration) : [])
        }
        state.troubles = troubles
        return findings
    }

    /// Describes the cause of a pause, in the words of `deskgate status`.
    private func data(_ seen: NotifierObservation, waiting: Int, configuration: WatchedConfiguration) -> [UInt8] {
        let notifier = configuration.notifiers.first { $0.name.utf8.elementsEqual(seen.name.utf8) }
        let meaning = Configuration.Notifier.meaning(of: seen.reason, for: notifier)
        let remedy = Configuration.Notifier.remedy(whileFailing: seen.name, seen.reason, for: notifier)
        return OperatorPayload.pausedNotifier(
            seen.name, reason: seen.reason, explanation: meaning.text, remedy: remedy, waiting: waiting)
    }

    /// Includes removed notifiers for which deliveries wait.
    private func queues(_ waiting: [ByteKey: PendingDeliveries], _ configuration: WatchedConfiguration) -> [Finding] {
        let now = clocks.unixMilliseconds()
        let names = Set(configuration.runningNotifiers.map { ByteKey($0) }).union(waiting.keys).sorted()
        return names.map { name in
            let queue = waiting[name]
            let age = queue.map { now.elapsed(since: $0.oldestReceivedAt) } ?? 0
            let status = QueueRule.status(
                of: name.text, count: queue?.count ?? 0, ageMilliseconds: age, lifetimeMilliseconds: configuration.lifetimeMilliseconds,
                configuration.thresholds)
            let reported = status == .holds ? queue.map { data($0, now: now) } : nil
            return Finding(key: OperatorCondition.Key(.queueLate, name.text), status: status, data: reported ?? [])
        }
    }

    private func data(_ queue: PendingDeliveries, now: UnixMilliseconds) -> [UInt8] {
        let (text, remedy) = QueueLag.message(queue, now: now)
        return OperatorPayload.lateQueue(
            ofNotifier: queue.notifier, waiting: queue.count, oldestSeconds: now.elapsed(since: queue.oldestReceivedAt) / 1000, text: text,
            remedy: remedy)
    }

    private func credentials(_ observations: [NotifierObservation], _ configuration: WatchedConfiguration) -> [Finding] {
        let ofNotifiers = observations.compactMap { seen in
            seen.credentialExpiresAt.map { ExpiringCredential(.notifierCertificate, of: seen.name, expiresAt: $0) }
        }
        return (configuration.credentials + ofNotifiers).map { credential in
            Finding(
                key: credential.condition, status: credential.status(now: clocks.unixSeconds(), configuration.thresholds),
                data: credential.data)
        }
    }

    private func disks(_ configuration: WatchedConfiguration) -> [Finding] {
        configuration.disks.map { disk in
            let key = OperatorCondition.Key(.diskLow, disk.name)
            guard let space = disk.space else { return Finding(key: key, status: .unknown) }
            let data = OperatorPayload.lowDisk(
                disk.name, freeBytes: space.free, sizeBytes: space.size,
                thresholdBytes: Int64(configuration.thresholds.diskFreeMegabytes) * 1_000_000)
            return Finding(key: key, status: DiskRule.status(freeBytes: space.free, configuration.thresholds), data: data)
        }
    }
}
