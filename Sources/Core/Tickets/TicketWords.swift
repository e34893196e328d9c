/// The help desk's words.
package enum TicketState: String, Sendable, CaseIterable {
    /// It was made, and the customer has not written yet: support does not see it.
    case initialized = "INITIALIZED"
    case pending = "PENDING"
    /// Somebody of support has it, and the customer waits for an answer.
    case active = "ACTIVE"
    /// Somebody of support has it, and waits for the customer.
    case idle = "IDLE"
    case workInProgress = "WORK_IN_PROGRESS"
    case closed = "CLOSED"

    /// The states of a ticket that is open. One that the customer has never written to is not.
    package static let open: [TicketState] = [.pending, .active, .idle, .workInProgress]

    /// Whether a ticket in it can be closed from outside the help desk.
    package var isClosable: Bool { self == .active || self == .idle }
}

/// The help desk's words.
package enum TicketPriority: String, Sendable, CaseIterable {
    case low = "LOW"
    case medium = "MEDIUM"
    case high = "HIGH"
    case urgent = "URGENT"
}

extension Ticket {
    package static let longestChannelType = 64

    /// The kind of channel that a ticket came from, by the help desk's name for it; nil for any text but an ASCII word, which no
    /// receiver would expect.
    package static func channelType(_ text: String?) -> String? {
        guard let text, (1...longestChannelType).contains(text.utf8.count), text.utf8.allSatisfy(isOfWord) else { return nil }
        return text
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}

/// A value of a ticket or a customer under a key that the help desk's administrators have registered.
package struct TicketField: Sendable, Equatable {
    /// The greatest number of fields that one call may set.
    package static let maximumFields = 20
    /// The longest key, in UTF-16 code units.
    package static let longestKey = 20
    /// The longest value, in UTF-16 code units.
    package static let longestValue = 190
    /// The grammar of a key, as the end of a sentence.
    package static let keyGrammar = "1 to \(longestKey) UTF-16 code units without control characters, colons and commas"

    package let key: String
    package let value: String

    /// Names a field. Checks nothing: `wanted` checks a caller's fields, and the help desk's fields are accepted unchanged.
    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// Checks fields that a caller wants to set: at least one, keys that differ, each within its length.
    package static func wanted(_ fields: [TicketField]) throws(TicketProblem) -> [TicketField] {
        let name = "custom_fields"
        guard (1...maximumFields).contains(fields.count) else { throw TicketProblem(name, "expected 1 to \(maximumFields) fields") }
        for (index, field) in fields.enumerated() {
            guard isKey(field.key) else { throw TicketProblem(name, "expected keys of \(keyGrammar)") }
            // An empty value clears a field.
            guard field.value.isEmpty || FieldGrammar.problem(of: field.value.utf8.span, longest: longestValue) == nil else {
                throw TicketProblem(name, "expected texts of at most \(longestValue) UTF-16 code units without control characters")
            }
            guard !fields[..<index].contains(where: { $0.key.utf8.elementsEqual(field.key.utf8) }) else {
                throw TicketProblem(name, "a key is given twice")
            }
        }
        return fields
    }

    /// Whether a text may be the key of a field.
    package static func isKey(_ text: String) -> Bool {
        FieldGrammar.problem(of: text.utf8.span, longest: longestKey) == nil && !text.utf8.contains(where: isSeparator)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",") }

    /// Compares keys and values as bytes.
    package static func == (left: TicketField, right: TicketField) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8) && left.value.utf8.elementsEqual(right.value.utf8)
    }
}

/// A mistake in a caller's request about tickets; it never contains the caller's text.
package struct TicketProblem: Error, Equatable {
    /// The field at fault, in the words of every interface.
    package let field: String
    /// The expected form, as the end of a sentence.
    package let expectation: String

    package init(_ field: String, _ expectation: String) {
        self.field = field
        self.expectation = expectation
    }
}
