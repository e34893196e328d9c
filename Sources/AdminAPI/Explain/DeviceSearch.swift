internal import Core

/// The devices of an app with one id, of any user. No index covers the id, so the search is bounded.
struct DeviceSearch {
    private static let maximumPages = 10
    private static let perPage = 1000

    private(set) var found: [Device] = []
    /// Whether the search ended before it had read all devices of the app.
    private(set) var isCut = false

    /// Runs the search; an index finds the devices of a named person.
    init(_ store: any Store, appID: String, userID: String?, deviceID: String) throws(StoreError) {
        if let userID {
            found = try store.devices(DeviceFilter(appID: appID, userID: userID, deviceID: deviceID), after: nil, limit: 1)
            return
        }
        var last: Device.Key?
        for _ in 0..<Self.maximumPages {
            let page = try store.devices(DeviceFilter(appID: appID, userID: nil, deviceID: nil), after: last, limit: Self.perPage)
            found += page.filter { $0.key.deviceID.utf8.elementsEqual(deviceID.utf8) }
            guard page.count == Self.perPage else { return }
            last = page.last?.key
        }
        isCut = true
    }
}
