/// Device tokens of APNs: binary, written in hexadecimal, and of no promised length (UIApplicationDelegate,
/// "didRegisterForRemoteNotificationsWithDeviceToken").
enum APNsToken {
    /// The longest that is taken, in bytes; today's have 32.
    static let longest = 128

    /// The path to post to; nil when the token is none.
    static func path(_ token: String) -> String? {
        isValid(token) ? "/3/device/\(token)" : nil
    }

    private static func isValid(_ token: String) -> Bool {
        let digits = token.utf8
        return (2...2 * longest).contains(digits.count) && digits.count.isMultiple(of: 2)
            && digits.allSatisfy { (48...57).contains($0) || (65...70).contains($0) || (97...102).contains($0) }
    }
}
