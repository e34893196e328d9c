internal import JSON

/// Reads the keywords of one schema, JSON Schema draft 2020-12 (Core sections 8 and 10, Validation sections 6, 7 and 9).
struct SchemaReader {
    let compiler: SchemaCompiler
    let place: SchemaCompiler.Place
    var rules = SchemaNode.Rules()
    private var reportedOthers = false

    init(compiler: SchemaCompiler, place: SchemaCompiler.Place) {
        (self.compiler, self.place) = (compiler, place)
    }

    mutating func read(_ keyword: String, value: JSONValue, at: SchemaCompiler.Place) {
        switch keyword {
        case "type": rules.types = types(value, at)
        case "enum", "const": readChoices(keyword, value: value, at: at)
        case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf": readBound(keyword, value: value, at: at)
        case "minLength": rules.strings.length.least = count(value, at)
        case "maxLength": rules.strings.length.most = count(value, at)
        case "format": rules.strings.format = format(value, at)
        case "minItems": rules.arrays.count.least = count(value, at)
        case "maxItems": rules.arrays.count.most = count(value, at)
        case "uniqueItems": rules.arrays.areUnique = bool(value, at)
        case "items": rules.arrays.items = items(value, at)
        case "properties", "required", "additionalProperties", "minProperties", "maxProperties": readObject(keyword, value: value, at: at)
        case "allOf", "anyOf", "oneOf", "not", "$ref": readCombination(keyword, value: value, at: at)
        default: readAnnotation(keyword, value: value, at: at)
        }
    }

    /// Returns the rules after all keywords have been read.
    mutating func finished() -> SchemaNode.Rules {
        if place.isClosed, !reportedOthers, !rules.objects.properties.isEmpty { rules.objects.others = .never }
        if rules.objects.others?.rules.isNever == true {
            for name in rules.objects.required where rules.objects.properties[Array(name.utf8)] == nil {
                compiler.refuse(
                    place.member("required"), "\(JSONSchema.shown(name)) is not in \"properties\", and other names are not allowed")
            }
        }
        return rules
    }

    private mutating func readObject(_ keyword: String, value: JSONValue, at: SchemaCompiler.Place) {
        switch keyword {
        case "properties": readProperties(value, at)
        case "required": rules.objects.required = names(value, at)
        case "minProperties": rules.objects.count.least = count(value, at)
        case "maxProperties": rules.objects.count.most = count(value, at)
        default:
            reportedOthers = true
            rules.objects.others = compiler.compile(value, at)
        }
    }

    private mutating func readProperties(_ value: JSONValue, _ at: SchemaCompiler.Place) {
        guard case .object(let object) = value else { return compiler.refuse(at, "must be an object of schemas") }
        // Even without `type`, such an object must have these members and no others.
        if object.members.isEmpty, place.isClosed, !reportedOthers { rules.objects.others = .never }
        for member in object.members {
            rules.objects.properties[Array(member.key.utf8)] = compiler.compile(member.value, at.member(member.key))
            rules.objects.names.append(member.key)
        }
    }

    private mutating func readCombination(_ keyword: String, value: JSONValue, at: SchemaCompiler.Place) {
        switch keyword {
        case "allOf": rules.combinations.all += schemas(value, at.open)
        case "anyOf": rules.combinations.any = schemas(value, at)
        case "oneOf": rules.combinations.one = schemas(value, at)
        case "not": rules.combinations.not = compiler.compile(value, at.open)
        default: if let node = compiler.compile(reference: value, at) { rules.combinations.all.append(node) }
        }
    }

    private mutating func readChoices(_ keyword: String, value: JSONValue, at: SchemaCompiler.Place) {
        let values = keyword == "const" ? [value] : value.elements
        if values.isEmpty { return compiler.refuse(at, "must be a list of at least one value") }
        let texts = values.map { String(decoding: JSONSchema.canonical($0), as: UTF8.self) }
        let listed = texts.joined(separator: ", ")
        let words =
            listed.utf8.count > Self.longestList ? "one of the values of its schema" : texts.count == 1 ? listed : "one of \(listed)"
        rules.choices.append(SchemaNode.Choices(canonical: Set(texts.map { Array($0.utf8) }), words: words))
    }

    private static let longestList = 300

    private mutating func readBound(_ keyword: String, value: JSONValue, at: SchemaCompiler.Place) {
        guard let number = ExactNumber(value) else { return compiler.refuse(at, "must be a number") }
        let bound = SchemaNode.NumberRules.Bound(number: number, text: String(decoding: value.serialized(), as: UTF8.self))
        switch keyword {
        case "minimum": rules.numbers.minimum = bound
        case "maximum": rules.numbers.maximum = bound
        case "exclusiveMinimum": rules.numbers.exclusiveMinimum = bound
        case "exclusiveMaximum": rules.numbers.exclusiveMaximum = bound
        default:
            guard number.isPositive else { return compiler.refuse(at, "must be a number above 0") }
            guard number.isDivisor else { return compiler.refuse(at, "must be a number of at most 19 digits") }
            rules.numbers.multipleOf = bound
        }
    }

    /// Reads a keyword for people and models, which does not restrict values.
    private func readAnnotation(_ keyword: String, value: JSONValue, at: SchemaCompiler.Place) {
        switch keyword {
        case "title", "description", "$comment": if value.text == nil { compiler.refuse(at, "must be a string") }
        case "default": break
        case "examples": if case .array = value {} else { compiler.refuse(at, "must be a list") }
        case "$defs" where place.path.isEmpty: break
        case "$defs": compiler.refuse(at, "must be at the root of the schema")
        case "$schema":
            let ours = "https://json-schema.org/draft/2020-12/schema"
            if value.text != ours { compiler.refuse(at, "only \"\(ours)\" is supported; remove it if nothing else depends on it") }
        default: compiler.refuse(at, "this keyword is not supported; docs/BOTS.md lists those that are")
        }
    }
}

extension SchemaReader {
    private func types(_ value: JSONValue, _ at: SchemaCompiler.Place) -> SchemaTypes? {
        let words = if case .array(let elements) = value { elements } else { [value] }
        var types = SchemaTypes()
        for word in words {
            guard let named = SchemaTypes.named.first(where: { $0.name == word.text }), !types.contains(named.type) else {
                let names = SchemaTypes.named.map { "\"\($0.name)\"" }.joined(separator: ", ")
                compiler.refuse(at, "must be one of \(names), or a list of some, each once")
                return nil
            }
            types.insert(named.type)
        }
        if types.isEmpty { compiler.refuse(at, "must name at least one type") }
        return types
    }

    private func items(_ value: JSONValue, _ at: SchemaCompiler.Place) -> SchemaNode? {
        if case .array = value {
            compiler.refuse(at, "a schema for each place is not supported; give one schema for all items")
            return nil
        }
        return compiler.compile(value, at)
    }

    private func schemas(_ value: JSONValue, _ at: SchemaCompiler.Place) -> [SchemaNode] {
        if value.elements.isEmpty { compiler.refuse(at, "must be a list of at least one schema") }
        return value.elements.enumerated().map { compiler.compile($1, at.element($0)) }
    }

    private func names(_ value: JSONValue, _ at: SchemaCompiler.Place) -> [String] {
        let names = value.elements.compactMap(\.text)
        guard case .array(let elements) = value, names.count == elements.count, Set(names.map { Array($0.utf8) }).count == names.count
        else {
            compiler.refuse(at, "must be a list of names, each once")
            return []
        }
        return names
    }

    private func count(_ value: JSONValue, _ at: SchemaCompiler.Place) -> Int? {
        guard let count = ExactNumber(value)?.int64.flatMap({ Int(exactly: $0) }), count >= 0 else {
            compiler.refuse(at, "must be a whole number of at least 0")
            return nil
        }
        return count
    }

    private func bool(_ value: JSONValue, _ at: SchemaCompiler.Place) -> Bool {
        guard case .bool(let bool) = value else {
            compiler.refuse(at, "must be true or false")
            return false
        }
        return bool
    }

    private func format(_ value: JSONValue, _ at: SchemaCompiler.Place) -> TextFormat? {
        guard let format = value.text.flatMap({ TextFormat(rawValue: $0) }) else {
            let names = TextFormat.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
            compiler.refuse(at, "this format is not supported; supported are \(names)")
            return nil
        }
        return format
    }
}
