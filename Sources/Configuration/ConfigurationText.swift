internal import JSON

/// The text of a configuration that is valid JSON, with the positions of its values.
struct ConfigurationText {
    let value: JSONValue
    private let bytes: [UInt8]

    /// Parses a text. If it has mistakes, reports them and returns nil.
    init?(_ bytes: [UInt8], _ problems: ConfigurationFindings) {
        do throws(JSONError) {
            value = try JSONDocument(parsing: bytes.span).value()
            self.bytes = bytes
        } catch {
            for mistake in ConfigurationSyntax.mistakes(error, in: bytes) { problems.add("$", mistake.message, at: mistake.place) }
            return nil
        }
    }

    /// Adds the line and the id of the app to each problem.
    func located(_ problems: [ConfigurationProblem]) -> [ConfigurationProblem] {
        guard let sourceMap = JSONSourceMap(bytes.span) else { return problems }
        return problems.map { problem in
            ConfigurationProblem(
                path: problem.path, message: problem.message,
                place: problem.place ?? sourceMap.index(of: problem.path).map { JSONPlace(of: $0, in: bytes.span) },
                appID: ConfigurationProblem.appIndex(in: problem.path).flatMap(appID))
        }
    }

    /// Returns the positions of keys in the file. Omits keys whose enclosing object is missing.
    func places(of paths: [String]) -> [String: JSONPlace] {
        guard let sourceMap = JSONSourceMap(bytes.span) else { return [:] }
        return paths.reduce(into: [:]) { places, path in
            places[path] = sourceMap.index(of: path).map { JSONPlace(of: $0, in: bytes.span) }
        }
    }

    private func appID(_ index: Int) -> String? {
        guard case .object(let root) = value, case .array(let apps)? = root["apps"], apps.indices.contains(index),
            case .object(let app) = apps[index], case .string(let id)? = app["app_id"]
        else { return nil }
        return id
    }
}

extension JSONSourceMap {
    /// Returns the start of the value at a path of `ConfigurationObject`, including its name if it has one. For a missing value, returns
    /// the start of the enclosing object.
    /// - Returns: nil when only the root exists on this path.
    fileprivate func index(of path: String) -> Int? {
        var (value, rest, index) = (self, path.dropFirst(), Int?.none)
        while let next = value.step(rest) { (value, rest, index) = next }
        return index
    }

    /// Returns the value of the first component of a path, the rest of the path, and the start of the value.
    private func step(_ path: Substring) -> (value: JSONSourceMap, rest: Substring, index: Int?)? {
        if path.first == "[" {
            let digits = path.dropFirst().prefix { $0 != "]" }
            guard let number = Int(digits), elements.indices.contains(number) else { return nil }
            return (elements[number], path.dropFirst(digits.count + 2), elements[number].range.lowerBound)
        }
        // Names may contain dots, so the longest matching name is used.
        let fitting = members.filter { member in
            let name = ".\(printable(member.name))"
            return path.hasPrefix(name) && [nil, ".", "["].contains(path.dropFirst(name.count).first)
        }
        return fitting.max { $0.name.count < $1.name.count }.map {
            ($0.value, path.dropFirst(printable($0.name).count + 1), $0.nameRange.lowerBound)
        }
    }
}
