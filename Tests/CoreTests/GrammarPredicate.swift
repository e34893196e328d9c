/// A second implementation of the public grammar on Unicode scalars and Swift's UTF-16 view, to test the one on bytes.
enum GrammarPredicate {
    /// The reason of a 400 and the malformed field; nil when all three fields are well formed.
    static func fault(appID: String, userID: String, securityKey: String) -> (field: String, reason: String)? {
        if let reason = fault(appID, longest: 255) { return ("app_id", reason) }
        if let reason = fault(userID, longest: 100) { return ("user_id", reason) }
        if let reason = fault(securityKey, longest: 100) { return ("security_key", reason) }
        return isSecurityKey(securityKey) ? nil : ("security_key", "not_a_security_key")
    }

    private static func fault(_ text: String, longest: Int) -> String? {
        if text.isEmpty { return "empty" }
        if text.unicodeScalars.contains(where: { $0.value <= 0x1F || $0.value == 0x7F }) { return "control_character" }
        return text.utf16.count > longest ? "too_long" : nil
    }

    /// `dgk1.`, then `A` and one of `A` to `P` for the eight bits of the flags, then 82 characters of the alphabet.
    private static func isSecurityKey(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        guard scalars.count == 89, Array(scalars[..<5]) == Array("dgk1.".unicodeScalars) else { return false }
        return scalars[5] == "A" && ("A"..."P").contains(scalars[6]) && scalars[7...].allSatisfy(alphabet.contains)
    }

    private static let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".unicodeScalars)
}
