/// A foreign name as it may be shown on a terminal: no controls, not endless, and no secret that stands where a name belongs.
/// - Parameter longest: how many Unicode scalars are shown at most.
package func printable(_ name: String, longest: Int = 64) -> String {
    if SecretRules.looksLikeSecret(name) { return "(what looks like a secret)" }
    let shown = name.unicodeScalars.prefix(longest).map { scalar in
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "?" : scalar
    }
    return shown.isEmpty ? "\"\"" : String(String.UnicodeScalarView(shown))
}
