internal import Core
internal import HTTPClient
internal import Threading
internal import Time

extension DeliveryOutcome {
    /// The outcome for a withdrawal: an accepted withdrawal has notified no person.
    var asWithdrawal: DeliveryOutcome {
        guard verdict == .delivered else { return self }
        return DeliveryOutcome(.delivered, reason: Delivery.withdrawnReason, environment: environment, status: status)
    }
}

extension PushSender {
    /// Handles the result of a request: ends the attempt or sends its next request.
    func take(_ result: Result<ClientResponse, ClientError>, _ flight: PushFlight) {
        let attempt = flight.attempt
        let finding = ConnectionGate.Finding(result)
        switch result {
        case .success(let response):
            let retryAfter = response.retryAfter(now: context.unixMilliseconds())
            let answer = provider.answer(
                status: response.status, body: response.body, token: attempt.device?.token.text, retryAfter: retryAfter)
            // Replaces a rejected token before the gate admits other requests, so that these do not carry it.
            let next = next(after: answer, flight, date: response.header("Date"), retryAfter: retryAfter)
            flight.leave(finding)
            go(next, attempt)
        case .failure(let error):
            // Reports the lost connection to the gate before the request is sent again.
            flight.leave(finding)
            var answer = ProviderAnswer.of(error)
            // A probe gets only half of the attempt's time, so the attempt continues after its timeout.
            if flight.isProbe, case .timeout = error { answer = ProviderAnswer(answer.outcome, step: .reconnect) }
            go(next(after: answer, flight, date: nil, retryAfter: nil), attempt)
        }
    }

    private enum Next {
        case send(PushAttempt)
        case end(DeliveryOutcome)

        init(_ attempt: PushAttempt?, else outcome: DeliveryOutcome) {
            self = attempt.map { .send($0) } ?? .end(outcome)
        }
    }

    private func go(_ next: Next, _ attempt: PushAttempt) {
        switch next {
        case .send(let next): send(next)
        case .end(let outcome): end(attempt, outcome)
        }
    }

    private func next(after answer: ProviderAnswer, _ flight: PushFlight, date: String?, retryAfter: UInt64?) -> Next {
        let (attempt, outcome) = (flight.attempt, answer.outcome)
        guard let step = answer.step else { return .end(outcome) }
        switch step {
        case .reconnect, .shorten: return Next(attempt.taking(step), else: outcome)
        // A proof needs the answer of only one environment.
        case .switchEnvironment where attempt.device == nil: return .end(outcome)
        case .switchEnvironment: return Next(attempt.switching(of: provider.environments.count, after: outcome), else: outcome)
        case .mintToken, .compareClocks: return renewed(step, flight, date: date, else: outcome)
        case .switchForKey:
            return Next(attempt.switching(of: provider.environments.count, after: outcome), else: attempt.firstRefusal ?? outcome)
        case .askAlarm: return .end(evaluated(outcome, attempt))
        case .delayDevice(let milliseconds):
            let now = context.monotonicMilliseconds()
            if let device = attempt.device { shared.withLock { $0.delays.add(device.token, milliseconds: milliseconds, now: now) } }
            return .end(outcome)
        case .stopMinting:
            guard case .minted(let cache) = authorization else { return .end(outcome) }
            return .end(DeliveryOutcome(cache.tooManyUpdates(retryAfterMilliseconds: retryAfter)))
        }
    }

    /// Reports a rejected token to the cache, and decides whether to send again.
    private func renewed(_ step: NextStep, _ flight: PushFlight, date: String?, else outcome: DeliveryOutcome) -> Next {
        guard let next = flight.attempt.taking(step), case .minted(let token) = flight.bearer, case .minted(let cache) = authorization
        else { return .end(outcome) }
        return switch step == .mintToken ? cache.invalidate(token, date: date) : cache.refused(token, date: date) {
        case .askAgain, .clockSkew: .send(next)
        case .hold(let failure): .end(DeliveryOutcome(failure))
        case .credentialRefused: .end(outcome)
        }
    }

    /// Decides whether the device's token or the settings are wrong, after the provider has rejected the device as one of another app.
    private func evaluated(_ outcome: DeliveryOutcome, _ attempt: PushAttempt) -> DeliveryOutcome {
        guard let device = attempt.device else { return outcome }
        let wasTaken = provider.environments.contains { $0.name == device.environment }
        return switch shared.withLock({ $0.alarm.refused(device, wasTaken: wasTaken) }) {
        case .token: outcome
        case .unclear:
            DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: outcome.reason, isAboutDevice: true, settingsFault: .possible)
        case .settings: DeliveryOutcome(.misconfigured, reason: outcome.reason)
        }
    }

    /// Ends an attempt. Reports the environment of a delivered attempt if the device's record lacks it.
    func end(_ attempt: PushAttempt, _ outcome: DeliveryOutcome) {
        guard outcome.verdict == .delivered else { return attempt.end(outcome) }
        // An accepted proof does not show whether the settings match the app of the devices.
        guard let device = attempt.device else { return attempt.end(outcome) }
        shared.withLock { $0.alarm.delivered() }
        let environment = provider.environments[attempt.environment].name
        guard device.environment != environment else { return attempt.end(outcome) }
        attempt.end(DeliveryOutcome(.delivered, reason: outcome.reason, environment: environment))
    }
}
