package import JSON

/// A channel of the customer's that a ticket is about.
package struct RelatedChannel: Sendable, Equatable {
    package let channel: String
    /// nil when the help desk does not provide it.
    package let name: String?

    package init(_ channel: String, name: String? = nil) {
        self.channel = channel
        self.name = name
    }

    package var json: JSONValue { ["channel": .string(channel), "name": name.map { .string($0) } ?? .null] }
}

extension [RelatedChannel] {
    /// The channels at one of these addresses, compared as bytes.
    package func at(_ channels: [String]) -> [RelatedChannel] {
        filter { related in channels.contains { $0.utf8.elementsEqual(related.channel.utf8) } }
    }

    /// Whether they are exactly the channels at these addresses, in any order.
    package func areExactly(_ channels: [String]) -> Bool {
        at(channels).count == count && channels.allSatisfy { !at([$0]).isEmpty }
    }

    package var json: JSONValue { .array(map(\.json)) }
}
