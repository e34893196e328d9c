internal import Core
internal import HTTPClient
internal import Threading

extension PushSender {
    /// Does what a request's end asks for.
    func take(_ result: Result<ClientResponse, ClientError>, _ flight: PushFlight) {
        let attempt = flight.attempt
        let finding = ConnectionGate.Finding(result)
        switch result {
        case .success(let response):
            let now = unixMilliseconds()
            let retryAfter = response.header("Retry-After").flatMap { RetryAfter.milliseconds(from: $0, nowMilliseconds: now) }
            let answer = provider.answer(
                status: response.status, body: response.body, token: attempt.device?.token.text, retryAfter: retryAfter)
            // Before others are let in, so that they don't come with the token that was refused.
            let next = next(after: answer, flight, date: response.header("Date"), retryAfter: retryAfter)
            flight.leave(finding)
            go(next, attempt)
        case .failure(let error):
            // Before it is sent again, so that it isn't on the connection that was lost.
            flight.leave(finding)
            var answer = ProviderAnswer.of(error)
            // It had only a part of the time.
            if flight.isProbe, case .timeout = error { answer = ProviderAnswer(answer.outcome, step: .reconnect) }
            go(next(after: answer, flight, date: nil, retryAfter: nil), attempt)
        }
    }

    /// What follows from an answer.
    private enum Next {
        case send(PushTry)
        case end(DeliveryOutcome)

        init(_ attempt: PushTry?, else outcome: DeliveryOutcome) {
            self = attempt.map { .send($0) } ?? .end(outcome)
        }
    }

    private func go(_ next: Next, _ attempt: PushTry) {
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
        // For a proof one environment's word is enough.
        case .switchEnvironment where attempt.device == nil: return .end(outcome)
        case .switchEnvironment: return Next(attempt.switching(of: provider.routes.count, after: outcome), else: outcome)
        case .mintToken, .compareClocks: return renewed(step, flight, date: date, else: outcome)
        case .switchForKey:
            return Next(attempt.switching(of: provider.routes.count, after: outcome), else: attempt.firstRefusal ?? outcome)
        case .askAlarm: return .end(judged(outcome, attempt))
        case .delayDevice(let milliseconds):
            let now = monotonicMilliseconds()
            if let device = attempt.device { shared.withLock { $0.delays.add(device.token, milliseconds: milliseconds, now: now) } }
            return .end(outcome)
        case .stopMinting:
            guard case .minted(let cache) = authorization else { return .end(outcome) }
            return .end(DeliveryOutcome(cache.tooManyUpdates(retryAfterMilliseconds: retryAfter)))
        }
    }

    /// Has a refused token replaced.
    private func renewed(_ step: NextStep, _ flight: PushFlight, date: String?, else outcome: DeliveryOutcome) -> Next {
        guard let next = flight.attempt.taking(step), case .minted(let token) = flight.bearer, case .minted(let cache) = authorization
        else { return .end(outcome) }
        return switch step == .mintToken ? cache.invalidate(token, date: date) : cache.refused(token, date: date) {
        case .askAgain, .clockSkew: .send(next)
        case .hold(let failure): .end(DeliveryOutcome(failure))
        case .credentialRefused: .end(outcome)
        }
    }

    /// What it means that a device was refused as another app's.
    private func judged(_ outcome: DeliveryOutcome, _ attempt: PushTry) -> DeliveryOutcome {
        guard let device = attempt.device else { return outcome }
        let wasTaken = provider.routes.contains { $0.environment == device.environment }
        return switch shared.withLock({ $0.alarm.refused(device, wasTaken: wasTaken) }) {
        case .token: outcome
        case .unclear: DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: outcome.reason, isAboutDevice: true)
        case .settings: DeliveryOutcome(.misconfigured, reason: outcome.reason)
        }
    }

    /// Ends a try.
    func end(_ attempt: PushTry, _ outcome: DeliveryOutcome) {
        guard outcome.verdict == .delivered else { return attempt.end(outcome) }
        // A proof is taken from anybody, whatever devices belong to.
        guard let device = attempt.device else { return attempt.end(outcome) }
        shared.withLock { $0.alarm.delivered() }
        let environment = provider.routes[attempt.route].environment
        guard device.environment != environment else { return attempt.end(outcome) }
        attempt.end(DeliveryOutcome(.delivered, reason: outcome.reason, environment: environment))
    }
}
