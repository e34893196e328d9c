/// The common checks of all addresses that the service calls or is called at.
extension ConfigurationReader {
    static let plainHTTP = "plain http leaves this machine unprotected; give an https address"

    /// Checks an address, and records its mistakes.
    /// - Parameters:
    ///   - schemes: the allowed schemes.
    ///   - takesQuery: false when paths are appended to the address.
    ///   - takesPath: false when the provider's paths, which begin at the root of its host, are appended.
    ///   - plain: the problem text for an address that transmits plain text over the network; nil when this is allowed.
    /// - Returns: whether the address is valid.
    func isRight(
        address text: String, at path: String, schemes: [String] = ["https", "http"], takesQuery: Bool = true, takesPath: Bool = true,
        plain: String? = plainHTTP
    ) -> Bool {
        guard let problem = problem(ofAddress: text, schemes, takesQuery: takesQuery, takesPath: takesPath, plain) else { return true }
        problems.add(path, problem)
        return false
    }

    /// Hosts whose APIs begin at the root.
    private static let providers = ["push.apple.com", "googleapis.com", "huawei.com", "rustore.ru", "sendbird.com"]

    private func problem(ofAddress text: String, _ schemes: [String], takesQuery: Bool, takesPath: Bool, _ plain: String?) -> String? {
        if Placeholder.hasVariable(text) { return "variables are not replaced here; write the address out" }
        do throws(DestinationURL.Problem) {
            let url = try DestinationURL(text)
            guard schemes.contains(url.scheme) else {
                let expected = schemes.first == "https" ? "https" : schemes.joined(separator: " or ")
                return "expected an \(expected) address, found another scheme"
            }
            if !takesQuery, text.utf8.contains(UInt8(ascii: "?")) {
                return "expected an address without a query, as paths are added to it; remove all from the ? on"
            }
            // The address of a company's gateway to the provider may have a path.
            let isProvider = Self.providers.contains { url.host == $0 || url.host.hasSuffix(".\($0)") }
            if !takesPath, isProvider, Self.base(text) != url.origin {
                return "the paths are added to it; give the host alone: \(url.origin)"
            }
            return url.scheme == "http" && !url.isLoopback ? plain : nil
        } catch {
            return error.description
        }
    }

    /// Returns the base of addresses, without a trailing slash.
    static func base(_ address: String) -> String { address.utf8.last == UInt8(ascii: "/") ? String(address.dropLast()) : address }
}
