package import JSON

/// A channel of the customer that a ticket refers to.
package struct RelatedChannel: Sendable, Equatable {
    package let channel: String
    /// Nil when the help desk did not report it.
    package let name: String?

    package init(_ channel: String, name: String? = nil) {
        self.channel = channel
        self.name = name
    }

    package var json: JSONValue { ["channel": .string(channel), "name": name.map { .string($0) } ?? .null] }
}

extension [RelatedChannel] {
    /// Compares bytes.
    package func at(_ channels: [String]) -> [RelatedChannel] {
        filter { related in channels.contains { $0.utf8.elementsEqual(related.channel.utf8) } }
    }

    /// Whether these are exactly the given channels, in any order.
    package func areExactly(_ channels: [String]) -> Bool {
        at(channels).count == count && channels.allSatisfy { !at([$0]).isEmpty }
    }

    package var json: JSONValue { .array(map(\.json)) }
}
