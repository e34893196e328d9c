internal import Core

/// The newest deliveries of an app that match, where no index leads to them: a bounded number of the newest is looked through.
struct DeliverySearch {
    /// How many of the newest deliveries are looked through.
    static let mostRead = 5000
    private static let perPage = 1000

    /// What was found, newest first.
    private(set) var found: [Delivery] = []
    /// Whether older deliveries were not looked at.
    private(set) var isCut = false

    /// Searches.
    /// - Parameter wanted: how many are enough.
    init(_ store: any Store, wanted: Int, where matches: (Delivery) -> Bool) throws(StoreError) {
        var (place, read): (DeliveryCursor?, Int) = (nil, 0)
        while true {
            let page = try store.page(of: DeliveryFilter(), after: place, limit: Self.perPage)
            found += page.deliveries.filter(matches)
            read += page.deliveries.count
            guard let next = page.next else { break }
            guard found.count < wanted, read < Self.mostRead else {
                isCut = true
                break
            }
            place = next
        }
        if found.count > wanted { isCut = true }
        found = Array(found.prefix(wanted))
    }

    /// The step that tells where the search has ended; nil when nothing was left out.
    /// - Parameter command: lists the rest.
    func step(_ command: String) -> Explanation.Step? {
        guard isCut else { return nil }
        return Explanation.Step(
            .search, .note,
            "Only the newest deliveries are shown here, found among the newest \(Self.mostRead) of all.",
            remedy: "For older ones: \(command).")
    }
}
