/// The people of the demonstration, whose phones and problems are fixed, so that the documentation can name them.
enum DemoPeople {
    /// Users without problems, who continue to chat.
    static let well = [
        DemoPhone(app: .shop, user: "user-1", type: "ios"), DemoPhone(app: .shop, user: "user-2", type: "android"),
        DemoPhone(app: .shop, user: "user-4", type: "huawei"), DemoPhone(app: .shop, user: "user-5", type: "rustore"),
        DemoPhone(app: .shop, user: "user-12", type: "ios"), DemoPhone(app: .shop, user: "user-12", type: "android"),
        DemoPhone(app: .shop, user: "Ольга Петрова", type: "ios"),
        DemoPhone(app: .shop, user: "maximiliane.von.hohenstein-wittelsbach@mail.example.com", type: "android"),
        DemoPhone(app: .couriers, user: "courier-4", type: "android"),
    ]
    static let blocked = DemoPhone(app: .shop, user: "user-3", type: "android")
    /// A user who has removed the app: the provider no longer has the phone's token.
    static let gone = DemoPhone(app: .shop, user: "user-6", type: "ios")
    /// A user whose first pushes the provider refuses.
    static let refused = DemoPhone(app: .shop, user: "user-7", type: "android")
    static let expired = DemoPhone(app: .shop, user: "user-8", type: "android")
    static let signedOut = DemoPhone(app: .shop, user: "user-9", type: "huawei")
    static let revoked = DemoPhone(app: .shop, user: "user-10", type: "ios")
    /// A user who sends another user's key.
    static let stranger = DemoPhone(app: .shop, user: "user-11", type: "rustore")
    /// Users whose notifier is paused, because it has a wrong credential.
    static let couriers = ["courier-1", "courier-2", "courier-3"].map { DemoPhone(app: .couriers, user: $0, type: "ios") }
    /// A user whose key has expired, but whose app is in shadow mode. The device is not registered.
    static let tablet = "tablet-1"
    /// A user whose pushes Huawei refuses for their content.
    static let censored = DemoPhone(app: .shop, user: "user-13", type: "huawei")

    static let customers = [
        DemoPhone(app: .market, user: "customer-1", type: "ios"), DemoPhone(app: .market, user: "customer-2", type: "android"),
        DemoPhone(app: .market, user: "customer-3", type: "ios"),
    ]
    static let blockedCustomer = DemoPhone(app: .market, user: "customer-4", type: "android")

    /// The number of pushes to `refused` that the provider refuses before it accepts them.
    static let refusals = 4
    /// The first comment for `couriers`; those for the others follow.
    static let courierComment: Int64 = 7101
}
