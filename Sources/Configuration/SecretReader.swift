internal import Crypto
internal import JSON
internal import POSIX

/// Reads secrets from their configured sources, and rejects secrets that are too weak or insufficiently protected.
struct SecretReader {
    /// The base directory of relative paths.
    let directory: String
    /// Whether inline, shared, weak and world-readable secrets are allowed, for development.
    let allowsInsecure: Bool
    let environment: (String) -> String?
    let problems: ConfigurationFindings
    let protection: FileProtection

    static let keys: ConfigurationKeys = [.live("file", .path()), .live("env", .text()), .live("credential", .text())]
    /// The accepted sources of a secret, as quoted in problems.
    static let sources = "{\"file\": \"PATH\"}, {\"env\": \"NAME\"} or {\"credential\": \"NAME\"}"
    private static let remedy = "or set \"allow_insecure_secrets\": true at the top on a laptop"

    // Limits the memory if the wrong file is named; the system's list of certificate authorities has about 200 KiB.
    private static let secretLimit = (bytes: 64 << 10, text: "64 KiB")
    static let certificateLimit = (bytes: 4 << 20, text: "4 MiB")

    /// Reads the text of a secret, which is a single line, without the line feed at its end.
    func text(_ value: JSONValue?, path: String, from origin: SecretOrigin = .issued) -> SecretBytes? {
        switch value {
        case nil:
            problems.add(path, "missing; give \(Self.sources)")
            return nil
        case .string(let inline):
            guard allowsInsecure else {
                let isPath = SecretHint.isPath(inline) || File.exists(resolve(inline))
                guard !isPath else {
                    problems.add(path, "expected \(Self.sources), found a path; give it as {\"file\": \"PATH\"}")
                    return nil
                }
                problems.add(path, "a secret must not be in the configuration; give \(Self.sources), \(Self.remedy)")
                return nil
            }
            problems.hidden.inlineSecrets.insert(inline)
            return secret(Array(inline.utf8), path: path)
        case .some(let value):
            guard case .object = value else {
                problems.add(path, "expected \(Self.sources), found \(value.kind)")
                return nil
            }
            return ConfigurationObject(value, path: path, keys: Self.keys, problems: problems).flatMap { text($0, origin) }
        }
    }

    /// Resolves a path in the configuration for this process.
    func resolve(_ path: String) -> String {
        Path.resolve(path, in: directory)
    }

    /// Resolves the path of a file that the service creates. If it may contain a secret, reports a problem and returns nil, because
    /// messages show the path.
    func madePath(_ path: String, at place: String) -> String? {
        guard !SecretRules.mayHoldSecret(path) else {
            problems.add(place, "expected the path of a file, found a text that may hold a secret; give a path without one")
            return nil
        }
        if let hint = PathHint.problem(of: path) {
            problems.add(place, hint)
            return nil
        }
        return resolve(path)
    }

    /// Reads a file.
    /// - Parameters:
    ///   - isSecret: whether the file must not be readable by other users.
    ///   - origin: the origin of the secret, for the remedy when the file is missing; nil if the file does not contain a secret.
    func file(_ path: String, at place: String, isSecret: Bool = true, from origin: SecretOrigin? = nil) -> [UInt8]? {
        let resolved = resolve(path)
        let mayBeSecret = SecretRules.mayHoldSecret(path)
        let shown = mayBeSecret ? printable(path) : printable(resolved, longest: 4096)
        let limit = isSecret ? Self.secretLimit : Self.certificateLimit
        do throws(SystemError) {
            let contents = try File.read(resolved, limit: limit.bytes)
            problems.sources.note(resolved, at: place, contents.bytes)
            if !allowsInsecure { check(contents, resolved, at: place, shown: shown, isSecret: isSecret) }
            return contents.bytes
        } catch {
            problems.sources.note(resolved, at: place, nil)
            if mayBeSecret, !error.isForbidden {
                problems.add(
                    place, "expected the path of a file, found a text that may be its contents; save them in a file, and give its path")
                return nil
            }
            let hint = error.isMissing ? PathHint.problem(of: path).map { "; \($0)" } ?? origin?.remedy(of: shown) : nil
            let remedy = hint ?? (error.isTooLarge ? "; give one of at most \(limit.text)" : remedy(error, resolved))
            problems.add(place, "cannot read \(shown): \(error)\(remedy)")
            return nil
        }
    }

    /// Returns the remedy, as the end of a sentence, when a path is a directory, or this user may not read the file or enter a directory
    /// above it.
    private func remedy(_ error: SystemError, _ path: String) -> String {
        if FileSystem.isDirectory(path) { return "; give the path of a file. Containers get a directory where a mounted file is missing" }
        guard error.isForbidden, let (visible, owner) = FileSystem.visibleOwner(of: path) else { return "" }
        let name = Machine.userName(owner)
        let isClosedDirectory = FileSystem.isDirectory(visible)
        let other =
            isClosedDirectory
            ? "let the user that serves enter the directory, or copy the file to where that user may read it, at each renewal, too"
            : "chown the file to the user that serves"
        return "; \(printable(visible, longest: 4096)) belongs to \(name)\(isClosedDirectory ? " and is closed to this user" : ""): "
            + "if \(name) serves, run this as that user, otherwise \(other)"
    }

    private func check(_ contents: File.Contents, _ path: String, at place: String, shown: String, isSecret: Bool) {
        // Docker Swarm and Kubernetes provide secrets to containers in memory, with mode 0444 or 0644 and any owner. The container has only
        // one user, so these permissions are accepted.
        if !contents.isOnReadOnlyMemory {
            if isSecret, contents.isReadableByEveryone {
                problems.add(place, "\(shown) can be read by everyone; run chmod 600 on it, \(Self.remedy)")
            }
            protection.check(owner: contents.owner, at: place, shown: shown, alternative: ", \(Self.remedy)")
        }
        protection.check(path, mode: contents.mode, at: place, shown: shown, alternative: ", \(Self.remedy)")
    }

    private func text(_ source: ConfigurationObject, _ origin: SecretOrigin) -> SecretBytes? {
        let file = source.string("file")
        let variable = source.string("env")
        let credential = source.string("credential")
        switch (file, variable, credential) {
        case (let path?, nil, nil):
            return self.file(path, at: source.path(of: "file"), from: origin).flatMap { secret($0, path: source.path) }
        case (nil, let name?, nil):
            return self.variable(name, at: source.path(of: "env")).flatMap { secret($0, path: source.path) }
        case (nil, nil, let name?):
            return self.credential(name, at: source.path(of: "credential")).flatMap { secret($0, path: source.path) }
        case (nil, nil, nil):
            if Self.keys.names.allSatisfy({ source.value($0) == nil }) { problems.add(source.path, "give \(Self.sources)") }
        default:
            problems.add(source.path, "give only one of \"file\", \"env\" and \"credential\"")
        }
        return nil
    }

    private func variable(_ name: String, at place: String) -> [UInt8]? {
        switch environment(name) {
        case nil where EnvironmentVariable.isName(name) && !SecretRules.mayHoldSecret(name):
            problems.add(place, "the environment variable \(name) is not set; set it beforehand")
        case nil:
            problems.add(place, "expected the name of an environment variable, such as APP_KEY, without $ and not its value")
        case ""?, "\n"?:
            problems.add(place, "the environment variable \(printable(name)) is set, and empty; give it the secret")
        case let value?: return Array(value.utf8)
        }
        return nil
    }

    /// Reads a credential, which systemd provides in a directory that only the unit can access (`LoadCredential=`).
    private func credential(_ name: String, at place: String) -> [UInt8]? {
        guard Credential.isName(name) else {
            problems.add(place, "expected a credential's name: letters, digits, \".\", \"_\" and \"-\", and no \".\" first")
            return nil
        }
        guard let directory = environment(Credential.directoryVariable), !directory.isEmpty else {
            problems.add(
                place, "\(printable(name)) is there for the unit alone, as \(Credential.directoryVariable) is not set; \(Credential.remedy)"
            )
            return nil
        }
        let path = Path.resolve(name, in: directory)
        do throws(SystemError) {
            _ = try FileSystem.mode(of: path)
        } catch  where error.isMissing {
            problems.sources.note(path, at: place, nil)
            let remedy =
                File.exists(directory)
                ? "give the unit LoadCredential=NAME:FILE and restart it"
                : "that directory exists only while the unit runs: \(Configuration.startOfUnit)"
            problems.add(place, "no credential \(printable(name)) in \(printable(directory, longest: 4096)); \(remedy)")
            return nil
        } catch {
            // Reading it reports the other problems.
        }
        return file(path, at: place)
    }

    private func secret(_ bytes: [UInt8], path: String) -> SecretBytes? {
        let text = String(decoding: bytes, as: UTF8.self)
        if let problem = TextEncoding.isWide(bytes) ? "the secret is UTF-16 or UTF-32; save it as UTF-8" : Self.transportProblem(of: text) {
            problems.add(path, problem)
            return nil
        }
        var line = bytes[...]
        if line.last == UInt8(ascii: "\n") { line.removeLast() }
        // The line endings of PEM and JSON files, which have several lines, are irrelevant.
        if line.last == UInt8(ascii: "\r"), !line.contains(UInt8(ascii: "\n")) {
            problems.add(
                path,
                "the secret ends with CR LF, as editors on Windows write it, and the CR would count as part of it elsewhere; remove it "
                    + "with: sed -i 's/\\r$//' FILE")
            return nil
        }
        guard !line.isEmpty else {
            problems.add(path, "the secret is empty; make one with: deskgate secret new")
            return nil
        }
        return SecretBytes(copying: line.span)
    }
}
