internal import Core

/// The newest matching deliveries for filters without an index: a limited number of the newest deliveries is searched.
struct DeliverySearch {
    /// The number of newest deliveries that are searched.
    static let maximumRead = 2000
    /// A person has few deliveries, and searching for a full page would take long.
    private static let perPageOfPerson = 50

    /// Newest first.
    private(set) var found: [Delivery] = []
    /// Whether older deliveries were not searched.
    private(set) var isCut = false

    /// - Parameters:
    ///   - filter: the filter of the store.
    ///   - wanted: the number that suffices.
    ///   - maximumRead: the number of newest deliveries that are searched, in two pages unless the filter names a person.
    ///   - matches: an additional condition.
    init(
        _ store: any Store, _ filter: DeliveryFilter, wanted: Int, maximumRead: Int = Self.maximumRead, where matches: (Delivery) -> Bool
    ) throws(StoreError) {
        var (place, read): (DeliveryCursor?, Int) = (nil, 0)
        let perPage = filter.userID == nil ? maximumRead / 2 : Self.perPageOfPerson
        while true {
            let page = try store.page(of: filter, after: place, limit: perPage)
            found += page.deliveries.filter(matches)
            read += page.deliveries.count
            guard let next = page.next else { break }
            // A short page took the full time, so there are few matches.
            guard found.count < wanted, read < maximumRead, page.deliveries.count == perPage else {
                isCut = true
                break
            }
            place = next
        }
        if found.count > wanted { isCut = true }
        found = Array(found.prefix(wanted))
    }

    /// The step that reports the end of the search; nil when the search was complete.
    /// - Parameter command: lists the rest.
    func step(_ command: String) -> Explanation.Step? {
        guard isCut else { return nil }
        return Explanation.Step(
            .search, outcome: .note,
            text: LocalizedText(
                "Only the newest deliveries are shown here; older ones were not searched.",
                "Показаны только самые новые доставки, более старые не искали."),
            remedy: LocalizedText("For older ones: \(command).", "Более старые: \(command)."))
    }
}
