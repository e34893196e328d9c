internal import Core
internal import JSON

/// What phones show.
extension ConfigurationReader {
    /// Nil when something is wrong with it.
    func pushStyle(_ object: ConfigurationObject) -> PushStyle? {
        let content = object.choice("content", default: PushContent.full)
        let badge = object.optionalInteger("badge", 0...99_999)
        let name = "expected a name of 1 to 64 letters, digits, \"-\", \"_\", \".\" or \"/\""
        let sound = sound(object)
        if let sound, (try? PushStyle(sound: sound)) == nil { problems.add(object.path(of: "sound"), "\(name), or null for none") }
        let channel = object.string("android_channel")
        if let channel, (try? PushStyle(androidChannel: channel)) == nil { problems.add(object.path(of: "android_channel"), name) }
        guard let templates = templates(object) else { return nil }
        return try? PushStyle(content: content, templates: templates, sound: sound, badge: badge, androidChannel: channel)
    }

    private func sound(_ object: ConfigurationObject) -> String? {
        switch object.value("sound") {
        case nil: "default"
        case .null?: nil
        case .some: object.string("sound")
        }
    }

    private func templates(_ object: ConfigurationObject) -> PushTemplates? {
        let language = object.string("language") ?? "en"
        let given = object.object("templates", keys: ConfigurationKeys.templates)
        var texts: [PushTemplatePart: String] = [:]
        for part in PushTemplatePart.allCases { texts[part] = given?.string(part.rawValue) }
        do throws(PushTemplates.Mistakes) {
            return try PushTemplates(language: language, texts: texts)
        } catch {
            for mistake in error.all {
                let path = mistake.part.map { "\(object.path(of: "templates")).\($0.rawValue)" } ?? object.path(of: "language")
                problems.add(path, mistake.description)
            }
            return nil
        }
    }
}
