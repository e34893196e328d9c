package import Time

/// A position in the order of acceptance, which remains valid when deliveries are deleted.
package struct DeliveryCursor: Sendable, Equatable, CustomStringConvertible {
    /// The event's number in its store.
    package let event: Int64
    /// The delivery's position within the event.
    package let position: Int64

    package init(event: Int64, position: Int64) {
        self.event = event
        self.position = position
    }

    /// Parses `description`; nil for another text.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let event = Int64(Substring(parts[0])), let position = Int64(Substring(parts[1])), event >= 0, position >= 0
        else { return nil }
        (self.event, self.position) = (event, position)
    }

    package var description: String { "\(event)-\(position)" }
}

package struct DeliveryPage: Sendable, Equatable {
    /// Newest first.
    package private(set) var deliveries: [Delivery]
    /// The next page; nil when there is none. A page ends early when a search finds little, so a page with fewer deliveries than requested,
    /// or none, may have a next one.
    package let next: DeliveryCursor?

    /// - Parameter found: up to `limit` + 1 deliveries; the extra one shows that there is a next page.
    package init(_ found: [(place: DeliveryCursor, delivery: Delivery)], limit: Int) {
        let shown = found.prefix(limit)
        deliveries = shown.map(\.delivery)
        next = found.count > limit ? shown.last?.place : nil
    }

    package init(_ deliveries: [Delivery], next: DeliveryCursor?) {
        (self.deliveries, self.next) = (deliveries, next)
    }
}

extension Store {
    package func deliveries(_ filter: DeliveryFilter, limit: Int) throws(StoreError) -> [Delivery] {
        try page(of: filter, after: nil, limit: limit).deliveries
    }
}

extension DeliveryPage: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        deliveries.convertTimes(convert)
    }
}
