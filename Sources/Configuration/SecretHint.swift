internal import Crypto

/// The end of a message about a text in place of a secret.
///
/// The secret itself is mostly right, and was only damaged on its way here. A new one would invalidate every key and token in use.
enum SecretHint {
    /// The remedy where nothing shows the cause.
    private static let remedy = "copy it again, or, if none is in use yet, make one with: deskgate secret new"

    /// Describes the length and form of a text, with the remedy; never any of the text.
    static func finding(_ secret: SecretBytes) -> String {
        let text = secret.withSpan { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
        let count = text.count
        return "found \(count) \(count == 1 ? "character" : "characters")\(hint(text) ?? "; \(remedy)")"
    }

    private static func hint(_ text: String) -> String? {
        if Placeholder.isUnfilled(text) { return ", a placeholder that nothing has replaced; put the secret in its place" }
        if text.hasPrefix("Bearer ") { return " that begin with \"Bearer \"; leave only the rest" }
        let lines = text.split(whereSeparator: \.isNewline)
        if lines.count > 1 { return " on \(lines.count) lines; join them" }
        if isAssignment(text) { return " that begin with a name and =; leave only the part after =" }
        if isHexadecimal(text) {
            // Of coreutils, unlike xxd; basenc takes capital letters only.
            return ", which are hexadecimal; write them as base64url: "
                + "tr a-f A-F <FILE | basenc --base16 -d | basenc --base64url -w0 | tr -d ="
        }
        switch Base64.decode(text) {
        case let bytes? where isEncodedSecret(bytes): return ", which are base64 of the secret's own characters; decode them once"
        case let bytes? where bytes.count == SecretRules.secretCount:
            return ", which are base64; write - for +, _ for /, and leave the = out"
        default: break
        }
        return isPath(text) ? ", which look like a path; give it as {\"file\": \"PATH\"}" : nil
    }

    /// Whether it is a secret in hexadecimal, as `openssl rand -hex 32` makes it.
    private static func isHexadecimal(_ text: String) -> Bool {
        text.utf8.count == 2 * SecretRules.secretCount && text.allSatisfy { $0.isASCII && $0.isHexDigit }
    }

    private static func isEncodedSecret(_ bytes: [UInt8]) -> Bool {
        let line = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        return SecretRules.decode(SecretBytes(copying: Array(line).span)) != nil
    }

    /// Whether it is a line of a file with variables. Base64 has a = at its end alone.
    private static func isAssignment(_ text: String) -> Bool {
        let parts = text.split(separator: "=", maxSplits: 1)
        return parts.count == 2 && EnvironmentVariable.isName(String(parts[0])) && !parts[1].allSatisfy { $0 == "=" }
    }

    static func isPath(_ text: String) -> Bool {
        ["/", "./", "../", "~/"].contains { text.hasPrefix($0) } || text.contains("/") && text.contains(".")
    }
}

/// The program that creates a secret, which decides the remedy for a missing file.
enum SecretOrigin {
    /// `deskgate secret new`.
    case own
    /// The same command, for a secret that signs what we send.
    case signing
    /// The same command, for a secret that a help desk must learn.
    case shared
    /// A help desk, a provider or another service.
    case issued

    /// The end of a message about a missing file.
    func remedy(of file: String) -> String {
        if self == .issued { return "; download or copy it from its issuer, and save it there" }
        // A shell would split or replace other characters.
        let isPlain = file.utf8.allSatisfy { SecretRules.isUnreserved($0) || $0 == UInt8(ascii: "/") }
        let command = "deskgate secret new \(self == .signing ? "--signing " : "")--out \(isPlain ? file : "FILE")"
        let making = self == .shared ? "make one and give it to the help desk" : "make one with"
        return "; put it back, or, if none is in use yet, \(making): \(command)"
    }
}

extension SecretReader {
    /// Names quotes, white space, invisible characters or a written-out line feed around a secret. The secret itself is right, so no new
    /// one is needed.
    static func transportProblem(of text: String) -> String? {
        // White space around JSON changes nothing, and PEM is read in all of these forms.
        if text.first(where: { !$0.isWhitespace }) == "{" { return nil }
        if text.contains("-----BEGIN "), text.first(where: { !$0.isWhitespace && !"\"'".contains($0) }) != "{" { return nil }
        let line = text.hasSuffix("\n") ? text.dropLast() : text[...]
        guard let first = line.first, let last = line.last else { return nil }
        if let name = TextEncoding.invisible(line.unicodeScalars.first) {
            return "the secret begins with \(name), which counts as part of it; save it as UTF-8 without that"
        }
        if let name = TextEncoding.invisible(line.unicodeScalars.last) {
            return "the secret ends with \(name), which counts as part of it; remove that"
        }
        if line.hasSuffix("\\n") || line.hasSuffix("\\r") {
            return "the secret ends with a written-out line feed (\\n), which counts as part of it; remove it"
        }
        if line.count > 1, first == last, first == "\"" || first == "'" {
            return "the secret is in quotes, which count as part of it, as in files for docker --env-file; remove them"
        }
        if line.allSatisfy(\.isWhitespace) { return nil }
        if first.isWhitespace || (last.isWhitespace && last != "\r\n" && last != "\r") {
            return "the secret has white space before or after it, which counts as part of it; remove it"
        }
        return nil
    }
}

/// The marks of a text that a template, a shell or a person should have replaced.
enum Placeholder {
    private static let words = ["null", "none", "nil", "undefined"]

    /// Whether a text has a variable of a shell or a template within it.
    static func hasVariable(_ text: String) -> Bool { text.contains("${") || text.contains("{{") }

    /// Whether a text is one, or has one within it.
    static func isUnfilled(_ text: String) -> Bool {
        hasVariable(text) || words.contains(text.lowercased()) || text.hasPrefix("<") && text.hasSuffix(">")
    }
}

enum EnvironmentVariable {
    /// Whether a text is a name that every shell can set (POSIX.1-2024, XBD 8.1).
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else { return false }
        return text.utf8.allSatisfy { SecretRules.isUnreserved($0) && !"-.~".utf8.contains($0) }
    }
}
