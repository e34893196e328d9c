internal import Core

/// The revocations that may apply to a person or a key, newest first.
///
/// An index finds the revocations that contain the person. Revocations of whole apps, key ids and single keys are searched only among the
/// newest revocations.
struct RevocationSearch {
    /// The maximum number of newest revocations that are searched for revocations without a person.
    static let maximumRead = 5000
    /// The maximum number of revocations that contain the person.
    private static let maximumNamed = 1000

    /// The revocation with which the person was forgotten; nil if there is none.
    var former: Revocation?
    var named: [Revocation] = []
    /// Revocations of the app that contain no person.
    var shared: [Revocation] = []
    /// Whether older revocations were not searched.
    var isCut = false

    /// All results, with the person's revocations first.
    var found: [Revocation] { (former.map { [$0] } ?? []) + named + shared }

    init() {}

    /// Runs the search.
    /// - Parameters:
    ///   - key: the key whose own revocations and those of its key id are included; nil to include only revocations of more than one key.
    ///   - maximumRead: the number of newest revocations that are searched, in five pages.
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
