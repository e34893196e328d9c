internal import Core

/// The revocations that may apply to a person or a key, newest first.
///
/// An index finds those that name the person. Those of whole apps, key ids and single keys are searched among the newest of all
/// revocations.
struct RevocationSearch {
    /// The number of newest revocations that are searched for those that name no person.
    static let maximumRead = 5000
    /// The maximum number of revocations that name the person.
    private static let maximumNamed = 1000

    /// The one that a person was forgotten with.
    var former: Revocation?
    var named: [Revocation] = []
    /// Revocations of the app that name no person.
    var shared: [Revocation] = []
    /// Whether older revocations were not searched.
    var isCut = false

    /// All that was found, the person's first.
    var found: [Revocation] { (former.map { [$0] } ?? []) + named + shared }

    init() {}

    /// Searches.
    /// - Parameters:
    ///   - key: whose own revocations and those of its key id are wanted; nil for those that are about more than one key.
    ///   - maximumRead: how many of the newest are looked through, in five pages.
    init(
        _ store: any Store, appID: String, userID: String?, key: SecurityKey?, maximumRead: Int = Self.maximumRead
    ) throws(StoreError) {
        if let userID {
            let person = AppUser(appID: appID, userID: userID)
            former = try store.formerRevocation(of: person)
            named = try store.revocations(of: person, after: nil, limit: Self.maximumNamed)
            isCut = named.count == Self.maximumNamed
        }
        let perPage = maximumRead / 5
        var (last, read): (UUIDv7?, Int) = (nil, 0)
        while true {
            let page = try store.revocations(of: nil, after: last, limit: perPage)
            shared += page.filter { $0.appID.utf8.elementsEqual(appID.utf8) && $0.mayConcern(key) }
            read += page.count
            guard page.count == perPage else { return }
            guard read < maximumRead else { break }
            last = page.last?.id
        }
        isCut = true
    }
}
