/// A ticket's state in the help desk's words.
package enum TicketState: String, Sendable, CaseIterable {
    /// Created, without a message from the customer: support does not see it.
    case initialized = "INITIALIZED"
    /// Waits for a support agent.
    case pending = "PENDING"
    /// Assigned to an agent; the customer waits for a response.
    case active = "ACTIVE"
    /// Assigned to an agent, who waits for the customer.
    case idle = "IDLE"
    /// Set aside by support.
    case workInProgress = "WORK_IN_PROGRESS"
    case closed = "CLOSED"

    /// The states of open tickets; a ticket without a message from the customer is not open.
    package static let open: [TicketState] = [.pending, .active, .idle, .workInProgress]

    /// Whether a ticket in this state can be closed through the API.
    package var isClosable: Bool { self == .active || self == .idle }
}

/// A ticket's priority in the help desk's words.
package enum TicketPriority: String, Sendable, CaseIterable {
    case low = "LOW"
    case medium = "MEDIUM"
    case high = "HIGH"
    case urgent = "URGENT"
}

extension Ticket {
    /// The maximum length in characters.
    package static let longestChannelType = 64

    /// The kind of channel as the help desk names it; nil unless it is a plain ASCII word, because receivers expect no other.
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

/// A custom field of a ticket or a customer, under a key registered by the help desk's administrators.
package struct TicketField: Sendable, Equatable {
    /// The maximum number of fields that one call may set.
    package static let maximumFields = 20
    /// In UTF-16 code units.
    package static let longestKey = 20
    /// In UTF-16 code units.
    package static let longestValue = 190
    /// A noun phrase for error messages.
    package static let keyGrammar = "1 to \(longestKey) UTF-16 code units without control characters, colons and commas"

    package let key: String
    package let value: String

    /// Without validation: `wanted` validates callers' fields, and the help desk's fields are used unchanged.
    package init(key: String, value: String) {
        self.key = key
        self.value = value
    }

    /// Validates the fields that a caller wants to set: at least one, with distinct keys.
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

    package static func isKey(_ text: String) -> Bool {
        FieldGrammar.problem(of: text.utf8.span, longest: longestKey) == nil && !text.utf8.contains(where: isSeparator)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ":") || byte == UInt8(ascii: ",") }

    /// Compares bytes.
    package static func == (left: TicketField, right: TicketField) -> Bool {
        left.key.utf8.elementsEqual(right.key.utf8) && left.value.utf8.elementsEqual(right.value.utf8)
    }
}

/// A fault in a caller's request about tickets; contains no text from the caller.
package struct TicketProblem: Error, Equatable {
    /// The name of the wrong field, the same in every interface.
    package let field: String
    /// The expected value, to follow the field's name.
    package let expectation: String

    package init(_ field: String, _ expectation: String) {
        self.field = field
        self.expectation = expectation
    }
}
