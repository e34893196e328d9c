internal import Core
internal import JSON

enum InquiryState: String, Sendable {
    case waiting = "WAITING"
    case confirmed = "CONFIRMED"
    case declined = "DECLINED"
}

/// A question's state in a message: asked, or answered by the customer.
struct InquiryAnswer: Sendable, Equatable {
    let state: InquiryState
    /// 1 to 5, for a rating.
    let score: Int64?
    /// The customer's own words with a rating; never empty.
    let comment: String?

    init(_ state: InquiryState, score: Int64? = nil, comment: String? = nil) {
        (self.state, self.score, self.comment) = (state, score, comment)
    }

    fileprivate var digest: Int64 { shortDigest(of: state.rawValue, "\(score ?? 0)", comment ?? "") }
}

/// The stored state of one question: a pure state machine, and its form in a topic.
struct Inquiry: Sendable, Equatable {
    struct Step: Sendable, Equatable {
        /// Whether the message asks the question for the first time.
        var isAsked = false
        var answer: InquiryAnswer?
        var remark: DurableWebhookResult?
    }

    /// Nil until the question has arrived.
    private(set) var state: InquiryState?
    /// An answer that arrived before its question.
    private(set) var early: InquiryAnswer?
    private var answer: Int64?
    private(set) var remarks = 0

    init() {}

    mutating func take(_ arriving: InquiryAnswer) -> Step {
        switch (state, arriving.state) {
        case (nil, .waiting):
            state = .waiting
            guard let early else { return Step(isAsked: true) }
            self.early = nil
            settle(early)
            return Step(isAsked: true, answer: early)
        case (nil, _):
            // The first answer is valid, as it would be if the question had arrived in time.
            if early == nil { early = arriving }
            return odd(.unasked)
        case (.waiting?, .waiting): return Step(remark: .duplicate)
        case (.waiting?, _):
            settle(arriving)
            return Step(answer: arriving)
        case (_, .waiting): return odd(.stale)
        case (_, _): return arriving.digest == answer ? Step(remark: .duplicate) : odd(.conflict)
        }
    }

    private mutating func settle(_ arriving: InquiryAnswer) {
        (state, answer) = (arriving.state, arriving.digest)
    }

    private mutating func odd(_ remark: DurableWebhookResult) -> Step {
        remarks += 1
        return Step(remark: remark)
    }
}

extension Inquiry {
    /// Reads the form written by `data`. Anything unreadable is treated as unknown.
    init(_ conversation: ConversationState?) {
        guard let conversation, let root = try? JSONElement(parsing: conversation.data.span) else { return }
        state = root["state"]?.string.flatMap { InquiryState(rawValue: $0) }
        answer = root["answer"]?.integer
        remarks = root["remarks"]?.integer.flatMap { Int(exactly: $0) } ?? 0
        guard let stored = root["early"], let state = stored["state"]?.string.flatMap({ InquiryState(rawValue: $0) }) else { return }
        early = InquiryAnswer(state, score: stored["score"]?.integer, comment: stored["comment"]?.string)
    }

    var data: [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.add("state", state?.rawValue)
        writer.add("answer", answer)
        writer.add("remarks", Int64(remarks))
        if let early {
            writer.beginObject("early")
            writer.add("state", early.state.rawValue)
            writer.add("score", early.score)
            writer.add("comment", early.comment)
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }
}
