extension Configuration {
    /// Which notifiers tell which devices of an app's comments.
    package struct Routes: Sendable, Equatable {
        /// The notifier's name by the device's type, in the order of the file; no type twice.
        package var byType: [Route] = []
        /// The notifier for devices of all other types; nil leaves them out.
        package var others: String?

        /// One type of device.
        package struct Route: Sendable, Equatable {
            /// In the app's own words.
            package var type: String
            /// The notifier's name.
            package var notifier: String
        }

        /// The names of all notifiers, each once.
        package var notifiers: [String] {
            var names: [String] = []
            for name in byType.map(\.notifier) + [others].compactMap(\.self) where !names.contains(name) { names.append(name) }
            return names
        }
    }
}
