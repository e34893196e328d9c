package import Core
internal import JSON

/// Edits the keys of an app in the text of a configuration. Replaces only the bytes that change.
///
/// New members are formatted like the members of the app's last key: on one line or on several, with the same indentation.
package struct KeyEdit {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let text: [UInt8]
    private let keys: JSONSourceMap
    private var replacements: [(range: Range<Int>, bytes: [UInt8])] = []

    /// Finds the keys of an app.
    /// - Parameters:
    ///   - text: a valid configuration.
    ///   - index: the index of the app in `apps`.
    package init(_ text: [UInt8], app index: Int) throws(Failure) {
        guard let apps = JSONSourceMap(text.span)?["apps"]?.elements, apps.indices.contains(index), let keys = apps[index]["keys"],
            !keys.elements.isEmpty
        else { throw Failure(description: "the keys of the app were not found in the configuration") }
        self.text = text
        self.keys = keys
    }

    /// The secret file of the app's last key that has one, as written in the configuration.
    package var newestSecretFile: String? {
        for key in keys.elements.reversed() {
            guard let range = key["secret"]?["file"]?.range else { continue }
            let bytes = Array("[".utf8) + text[range] + Array("]".utf8)
            if case .array(let values)? = (try? JSONDocument(parsing: bytes.span))?.value(), case .string(let file)? = values.first {
                return file
            }
        }
        return nil
    }

    /// Adds a key that only verifies, after the other keys.
    /// - Parameter file: the file of its secret, as written in the configuration.
    package mutating func add(id: UInt32, file: String) {
        let style = style(of: keys.elements[keys.elements.count - 1])
        let secret = Array("{\"file\"".utf8) + style.colon + JSONValue.string(file).serialized() + Array("}".utf8)
        let members = [
            Self.member("id", value: Array("\(id)".utf8), style: style), Self.member("secret", value: secret, style: style),
            Self.member("state", value: Self.text(.verifyOnly), style: style),
        ]
        let object = Array("{".utf8) + style.open + Array(members.joined(separator: Array(",".utf8) + style.between)) + style.close
        let last = keys.elements[keys.elements.count - 1].range
        let start = keys.elements.count > 1 ? keys.elements[keys.elements.count - 2].range.upperBound : keys.range.lowerBound + 1
        let separator = text[start..<last.lowerBound].filter { $0 != UInt8(ascii: ",") }
        insert(Array(",".utf8) + (separator.isEmpty ? style.between : separator) + object + Array("}".utf8), at: last.upperBound)
    }

    package mutating func set(_ state: Application.Key.State, of keyID: UInt32) throws(Failure) {
        let key = keys.elements[try place(of: keyID)]
        if let value = key["state"] {
            replacements.append((value.range, Self.text(state)))
        } else if let last = key.members.last {
            let style = style(of: key)
            insert(
                Array(",".utf8) + style.between + Self.member("state", value: Self.text(state), style: style),
                at: last.value.range.upperBound)
        }
    }

    /// Removes a key. The app must have another one.
    package mutating func remove(_ keyID: UInt32) throws(Failure) {
        let place = try place(of: keyID)
        let elements = keys.elements
        guard elements.count > 1 else { throw Failure(description: "the app has no other key") }
        let range =
            place + 1 < elements.count
            ? elements[place].range.lowerBound..<elements[place + 1].range.lowerBound
            : elements[place - 1].range.upperBound..<elements[place].range.upperBound
        replacements.append((range, []))
    }

    /// The text after all edits.
    package var edited: [UInt8] {
        var result: [UInt8] = []
        var done = 0
        for (range, bytes) in replacements.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            result += text[done..<range.lowerBound]
            result += bytes
            done = range.upperBound
        }
        return result + text[done...]
    }

    private mutating func insert(_ bytes: [UInt8], at place: Int) {
        replacements.append((place..<place, bytes))
    }

    private func place(of keyID: UInt32) throws(Failure) -> Int {
        let place = keys.elements.firstIndex { key in
            guard let value = key["id"] else { return false }
            return text[value.range].elementsEqual("\(keyID)".utf8)
        }
        guard let place else { throw Failure(description: "the key \(keyID) was not found in the configuration") }
        return place
    }

    private static func text(_ state: Application.Key.State) -> [UInt8] { JSONValue.string(state.rawValue).serialized() }

    private static func member(_ name: String, value: [UInt8], style: Style) -> [UInt8] {
        Array("\"\(name)\"".utf8) + style.colon + value
    }
}

extension KeyEdit {
    /// The white space of an object, which is repeated for new members.
    private struct Style {
        /// The white space after the opening brace, after a comma, and before the closing brace.
        var open: [UInt8] = []
        var between = Array(" ".utf8)
        var close: [UInt8] = []
        /// The text between a name and its value, including the colon.
        var colon = Array(": ".utf8)
    }

    private func style(of object: JSONSourceMap) -> Style {
        var style = Style()
        guard let first = object.members.first, let last = object.members.last else { return style }
        style.open = Array(text[object.range.lowerBound + 1..<first.nameRange.lowerBound])
        style.close = Array(text[last.value.range.upperBound..<object.range.upperBound - 1])
        style.colon = Array(text[first.nameRange.upperBound..<first.value.range.lowerBound])
        if object.members.count > 1 {
            let gap = text[first.value.range.upperBound..<object.members[1].nameRange.lowerBound]
            style.between = gap.filter { $0 != UInt8(ascii: ",") }
        }
        return style
    }
}
