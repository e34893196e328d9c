internal import JSON
package import Time

/// The answer to a question such as "why is this person refused?": what was found, step by step in the order in which things happen, and
/// what follows from it.
package struct Explanation: Sendable, Equatable {
    /// What a step, or the whole answer, comes to.
    package enum Outcome: String, Sendable, CaseIterable {
        /// Nothing is wrong.
        case ok
        /// Something is wrong.
        case problem
        /// Worth knowing; for a whole answer: it cannot be said, or will not stay so.
        case note
    }

    /// What a step is about, in a stable word.
    package enum Subject: String, Sendable, CaseIterable {
        /// The security key's text.
        case key
        /// The app.
        case app
        /// Which of the app's secrets made the key.
        case keyID = "key_id"
        /// The key's proof for this app and person.
        case signature
        /// The key's times.
        case life
        /// What operators have revoked.
        case revocations
        /// The app's own backend.
        case backend
        /// The app's shadow mode.
        case shadowMode = "shadow_mode"
        /// The person's devices.
        case devices
        /// One device.
        case device
        /// How often devices may register.
        case limits
        /// The help desk's call that tells of a comment.
        case webhook
        /// An event that was taken in.
        case event
        /// A way to tell somebody of events.
        case notifier
        /// One event on its way to one notifier.
        case delivery
        /// One attempt of a delivery.
        case attempt
        /// What more there is to find, and where.
        case search
    }

    /// An identifier to go on with, such as `delivery_id`.
    package struct Reference: Sendable, Equatable {
        let name: String
        let text: String
    }

    /// One thing that was found.
    package struct Step: Sendable, Equatable {
        /// What it is about.
        package let subject: Subject
        /// What it comes to.
        package let outcome: Outcome
        /// One sentence, or a few.
        package let text: String
        /// When it happened; nil for what holds now.
        package let at: UnixMilliseconds?
        /// What to do, in sentences; nil when nothing need be done.
        package let remedy: String?
        /// Identifiers to go on with.
        package let references: [Reference]

        init(
            _ subject: Subject, _ outcome: Outcome, _ text: String, at: UnixMilliseconds? = nil, remedy: String? = nil,
            _ references: [Reference] = []
        ) {
            self.subject = subject
            self.outcome = outcome
            self.text = text
            self.at = at
            self.remedy = remedy
            self.references = references
        }
    }

    /// What the whole comes to.
    package let outcome: Outcome
    /// The answer in one sentence, or a few.
    package let finding: String
    /// What was found.
    package let steps: [Step]

    /// What to do first: the remedy of the first problem, or else of the first note that has one. What a single attempt has failed for is
    /// part of its delivery, which knows more.
    package var remedy: String? {
        guard outcome != .ok else { return nil }
        let remedies = steps.filter { $0.remedy != nil && $0.subject != .attempt }
        return (remedies.first { $0.outcome == .problem } ?? remedies.first { $0.outcome == .note })?.remedy
    }
}

extension Explanation {
    static let members = ["outcome", "finding", "remedy", "steps"]

    /// The JSON for operators.
    var json: JSONObject {
        [
            "outcome": .string(outcome.rawValue), "finding": .string(finding), "remedy": remedy.map { .string($0) } ?? .null,
            "steps": .array(steps.map { .object($0.json) }),
        ]
    }
}

extension Explanation.Step {
    fileprivate var json: JSONObject {
        [
            "step": .string(subject.rawValue), "outcome": .string(outcome.rawValue), "text": .string(text),
            "at": at.map { .string(RFC3339.text($0)) } ?? .null, "remedy": remedy.map { .string($0) } ?? .null,
            "references": .object(JSONObject(references.map { ($0.name, .string($0.text)) })),
        ]
    }
}

/// Moments and durations in sentences.
enum Telling {
    /// A moment, for example `2026-03-10T08:15:12.000Z`.
    static func time(_ moment: UnixSeconds) -> String {
        // RFC 3339 has no date after 9999-12-31T23:59:59Z.
        moment > 253_402_300_799 ? "after the year 9999" : RFC3339.text(moment.milliseconds)
    }

    /// A duration in the largest unit that keeps it readable, for example `90 seconds` or `3 days`.
    static func duration(seconds: UInt64) -> String {
        for (unit, size) in [("day", 86_400 as UInt64), ("hour", 3600), ("minute", 60)] where seconds >= 2 * size {
            return count(seconds / size, unit)
        }
        return count(seconds, "second")
    }

    /// A number with its noun: `1 device`, `2 devices`.
    static func count(_ number: some BinaryInteger, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// A sentence from its end: with a capital letter and a full stop.
    static func sentence(_ end: String) -> String {
        end.prefix(1).uppercased() + end.dropFirst() + (end.hasSuffix(".") ? "" : ".")
    }

    /// A text as one word of a shell's command line, because people copy commands and others choose the identifiers in them.
    static func word(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: "-_.:@+,/".utf8.contains(byte)
                }
            }
        return isPlain ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
