/// The order of apps in the claims of one notifier. A claim takes one delivery of each app in turn, and the next claim continues with the
/// next app. A long queue of one app therefore delays the deliveries of another app by about one batch. Within an app, the delivery that
/// has been due longest comes first.
///
/// A delivery that is ended or deferred without an attempt uses no turn, unless the claim has exhausted its budget for such deliveries.
struct AppTurns<App: Comparable & Sendable>: Sendable {
    private var last: App?

    /// Returns the app whose turn is next.
    /// - Parameter apps: the apps that may have due deliveries, in ascending order.
    func next(among apps: some Sequence<App>) -> App? {
        var first: App?
        for app in apps {
            guard let last, app <= last else { return app }
            first = first ?? app
        }
        return first
    }

    /// Records that an app has used its turn.
    mutating func took(_ app: App) { last = app }
}
