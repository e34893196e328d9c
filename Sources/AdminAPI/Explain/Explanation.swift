package import Core
internal import JSON
package import Time

/// The answer to a query such as "why is this person denied?": the findings, step by step in the order of processing, and the conclusion.
package struct Explanation: Sendable, Equatable {
    /// The result of a step, or of the whole answer.
    package enum Outcome: String, Sendable, CaseIterable {
        case ok
        case problem
        /// Information; for a whole answer: unknown, or temporary.
        case note
    }

    /// The subject of a step, in a stable word.
    package enum Subject: String, Sendable, CaseIterable {
        case key
        case app
        case keyID = "key_id"
        /// The key's proof for this app and person.
        case signature
        case life
        case revocations
        case backend
        case shadowMode = "shadow_mode"
        case authorization
        case sessionToken = "session_token"
        case devices
        case device
        case limits
        /// The help desk's call that reports a comment.
        case webhook
        case event
        case notifier
        case delivery
        case attempt
        case botCall = "bot_call"
        case search
    }

    /// An identifier for further commands, such as `delivery_id`.
    package struct Reference: Sendable, Equatable {
        let name: String
        let text: String
    }

    package struct Step: Sendable, Equatable {
        package let subject: Subject
        package let outcome: Outcome
        /// One or a few sentences.
        package let text: LocalizedText
        /// The time of the event; nil for a present state.
        package let at: UnixMilliseconds?
        /// In sentences; nil when no action is needed.
        package let remedy: LocalizedText?
        package let references: [Reference]

        init(
            _ subject: Subject, outcome: Outcome, text: LocalizedText, at: UnixMilliseconds? = nil, remedy: LocalizedText? = nil,
            references: [Reference] = []
        ) {
            self.subject = subject
            self.outcome = outcome
            self.text = text
            self.at = at
            self.remedy = remedy
            self.references = references
        }
    }

    /// The answer, with its decisive step.
    struct Conclusion: Sendable, Equatable {
        let outcome: Outcome
        let text: LocalizedText
        /// Nil when no single step is decisive.
        let cause: Step?

        init(_ outcome: Outcome, _ text: LocalizedText, from cause: Step? = nil) {
            (self.outcome, self.text, self.cause) = (outcome, text, cause)
        }

        init(_ step: Step) { self.init(step.outcome, step.text, from: step) }

        func and(_ sentence: LocalizedText?) -> Conclusion {
            sentence.map { Conclusion(outcome, LocalizedText("\(text) \($0)", "\(text) \($0)"), from: cause) } ?? self
        }

        /// Adds a finding to the answer, which decides if the answer is no problem.
        func but(_ step: Step?) -> Conclusion {
            guard let step else { return self }
            guard outcome != .problem else { return and(step.text) }
            return Conclusion(step.outcome, LocalizedText("\(text) But: \(step.text)", "\(text) Однако: \(step.text)"), from: step)
        }
    }

    private let conclusion: Conclusion
    package let steps: [Step]

    init(_ conclusion: Conclusion, _ steps: [Step]) {
        self.conclusion = conclusion
        self.steps = steps
    }

    /// Adds that no service runs, unless the answer contains it. Its remedy comes first, because other remedies need a service.
    func but(_ problem: Problem?) -> Explanation {
        guard let problem, problem.remedy != remedy else { return self }
        let step = Step(.notifier, outcome: problem.severity == .problem ? .problem : .note, text: problem.text, remedy: problem.remedy)
        let reported = conclusion.but(step)
        return Explanation(step.outcome == .problem ? Conclusion(.problem, reported.text, from: step) : reported, steps + [step])
    }

    package var outcome: Outcome { conclusion.outcome }
    /// The answer in one or a few sentences.
    package var finding: LocalizedText { conclusion.text }
    /// The first action: the remedy of the decisive step.
    package var remedy: LocalizedText? { outcome == .ok ? nil : conclusion.cause?.remedy }
}

extension Explanation {
    static let members = ["outcome", "finding", "remedy", "steps"]

    /// The JSON for operators, with its texts in one language.
    func json(in language: Language) -> JSONObject {
        [
            "outcome": .string(outcome.rawValue), "finding": .string(finding.text(in: language)), "remedy": JSONValue(remedy, in: language),
            "steps": .array(steps.map { .object($0.json(in: language)) }),
        ]
    }
}

extension Explanation.Step {
    fileprivate func json(in language: Language) -> JSONObject {
        [
            "step": .string(subject.rawValue), "outcome": .string(outcome.rawValue), "text": .string(text.text(in: language)),
            "at": at.map { .string(RFC3339.text($0)) } ?? .null, "remedy": JSONValue(remedy, in: language),
            "references": .object(JSONObject(references.map { ($0.name, .string($0.text)) })),
        ]
    }
}
