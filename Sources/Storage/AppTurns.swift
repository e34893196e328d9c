/// The order of apps in the claims of one notifier. A claim takes one delivery of each app in turn, and the next claim continues with the
/// next app. However long one app's queue is, another app's delivery thus waits for about one batch. Within an app the longest due come
/// first.
///
/// Deliveries that end or are deferred use no turn, unless the claim has no budget left for them.
struct AppTurns<App: Comparable & Sendable>: Sendable {
    private var last: App?

    /// The app whose turn it is.
    /// - Parameter apps: those that may have something due, in their order.
    func next(among apps: some Sequence<App>) -> App? {
        var first: App?
        for app in apps {
            guard let last, app <= last else { return app }
            first = first ?? app
        }
        return first
    }

    /// Notes that an app has had its turn.
    mutating func took(_ app: App) { last = app }
}
