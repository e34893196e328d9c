import Core
import Storage

extension SQLiteStore {
    /// A store that announces to the notifier `registry`.
    convenience init(path: String, settings: StoreSettings = StoreSettings()) throws(StoreError) {
        try self.init(path: path, settings: settings, announcer: Announcements().announcer)
    }
}
