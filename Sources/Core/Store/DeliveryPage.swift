package import Time

/// A position in the order of acceptance, which stays valid when deliveries are deleted.
package struct DeliveryCursor: Sendable, Equatable, CustomStringConvertible {
    package let event: Int64
    package let position: Int64

    package init(event: Int64, position: Int64) {
        self.event = event
        self.position = position
    }

    /// Reads what `description` has written; nil for another text.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 2, let event = Int64(Substring(parts[0])), let position = Int64(Substring(parts[1])), event >= 0, position >= 0
        else { return nil }
        (self.event, self.position) = (event, position)
    }

    package var description: String { "\(event)-\(position)" }
}

package struct DeliveryPage: Sendable, Equatable {
    /// The deliveries, newest first.
    package private(set) var deliveries: [Delivery]
    /// The start of the next page; nil for none. A search ends its page after a while, so a page with fewer deliveries than requested, or
    /// none, may have a next one.
    package let next: DeliveryCursor?

    /// Makes a page of the rows found; one row beyond the limit shows that there is another page.
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
    /// The deliveries of the first page of those that match, newest first.
    package func deliveries(_ filter: DeliveryFilter, limit: Int) throws(StoreError) -> [Delivery] {
        try page(of: filter, after: nil, limit: limit).deliveries
    }
}

extension DeliveryPage: Timestamped {
    package mutating func convertTimes(_ convert: (UnixMilliseconds) -> UnixMilliseconds) {
        deliveries.convertTimes(convert)
    }
}
