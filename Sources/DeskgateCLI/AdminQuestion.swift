internal import AdminAPI
internal import JSON

/// Runs an admin action, through the running service or directly on the store, and prints the answer.
enum AdminQuestion {
    /// Runs the action and prints the answer, as JSON or as `text` formats it for people. A command whose action changes something must
    /// declare `Option.author`.
    /// - Parameters:
    ///     - access: access to the service; nil for that of the configuration.
    ///     - isShown: whether a successful answer is printed.
    ///     - verdict: the exit code of a successful answer.
    ///     - unavailable: the exit code when the service cannot answer now, as while its store is unavailable.
    static func ask(
        _ action: some AdminAction, arguments: Arguments, of access: AdminAccess? = nil,
        isShown: (JSONObject) -> Bool = { _ in true }, verdict: (JSONObject) -> ExitCode = { _ in .done },
        unavailable: ExitCode = .usage, text: (JSONObject) -> String
    ) throws(CommandError) -> ExitCode {
        let author = action.change == nil ? nil : try arguments.author()
        if author != nil { arguments.warnOfUser() }
        let access = if let access { access } else { try arguments.service(author: author).access }
        let answer = try explaining { () throws(AdminAccess.Failure) in
            try WaitingLine.show("waiting for an answer") { () throws(AdminAccess.Failure) in
                action.remoteAppID != nil
                    ? try access.performInService(action) : try access.perform(action, remark: Console.complain)
            }
        }
        return tell(
            answer.status, json: answer.json, arguments: arguments, isShown: isShown, verdict: verdict, unavailable: unavailable, text: text
        )
    }

    /// Prints an answer; see `ask`.
    static func tell(
        _ status: Int, json: JSONValue, arguments: Arguments, isShown: (JSONObject) -> Bool = { _ in true },
        verdict: (JSONObject) -> ExitCode = { _ in .done }, unavailable: ExitCode = .usage, text: (JSONObject) -> String
    ) -> ExitCode {
        guard case .object(let object) = json else { preconditionFailure("every answer is an object") }
        let isGood = [200, 201].contains(status)
        if isGood || arguments.has("json") {
            if !isGood || isShown(object) { Console.answer(arguments, json: json, text: text(object)) }
        } else {
            Console.complain(arguments.command.translated(AdminText.text(object["message"])))
        }
        switch status {
        case 200, 201: return verdict(object)
        case 404, 409: return .negative
        case 503: return unavailable
        default: return .usage
        }
    }

    static let pages = [
        Option(
            "limit", value: .number(1...UInt64(AdminAnswer.largestLimit)),
            default: "\(AdminAnswer.defaultLimit), with --all \(AdminAnswer.largestLimit)",
            "the number per page, at most \(AdminAnswer.largestLimit)"),
        Option("after", value: .text("CURSOR"), "continue after an earlier page"),
        Option("all", "all pages; with --json one object per page"),
    ]

    /// Prints one page of a list or, with `--all`, every page, and the cursor of the next page if there is one.
    /// - Parameters:
    ///     - action: requests a page with a limit, after a cursor.
    ///     - text: formats a page for people.
    static func askForPages(
        _ arguments: Arguments, action: (_ after: String?, _ limit: Int?) throws(AdminProblem) -> some AdminAction,
        text: (JSONObject) -> String
    ) throws(CommandError) -> ExitCode {
        let isWhole = arguments.has("all")
        let limit = arguments.number("limit") ?? (isWhole ? AdminAnswer.largestLimit : nil)
        return try askForPages(
            arguments, isWhole: isWhole, after: arguments["after"], action: { after throws(AdminProblem) in try action(after, limit) },
            text: text)
    }

    /// Prints one page of a list or all pages, without the options of `pages`.
    ///
    /// A search with few matches has pages without a row, which are skipped.
    /// - Parameters:
    ///     - isWhole: whether all pages are printed; otherwise the first one with a row is.
    ///     - whenEmpty: the exit code if no page has a row.
    ///     - action: requests the page after a cursor.
    ///     - text: formats a page for people.
    static func askForPages(
        _ arguments: Arguments, isWhole: Bool, after: String? = nil, whenEmpty: ExitCode = .done,
        action: (_ after: String?) throws(AdminProblem) -> some AdminAction, text: (JSONObject) -> String
    ) throws(CommandError) -> ExitCode {
        var access: AdminAccess?
        var after = after
        var (isShown, hasRow) = (true, false)
        while true {
            var next: String?
            let page = try arguments.action { () throws(AdminProblem) in try action(after) }
            let service = if let access { access } else { try arguments.service().access }
            access = service
            let code = try ask(
                page, arguments: arguments, of: service,
                isShown: { answer in
                    isShown = answer.members.contains { member in
                        if case .array(let rows) = member.value { !rows.isEmpty } else { false }
                    }
                    hasRow = hasRow || isShown
                    // The last page reports an empty list.
                    isShown = isShown || (answer["next"] == .null && !hasRow)
                    return isShown
                },
                verdict: { answer in
                    if case .string(let cursor) = answer["next"] { next = cursor }
                    return next == nil && !hasRow ? whenEmpty : .done
                },
                text: { answer in
                    guard case .string(let cursor) = answer["next"], !isWhole else { return text(answer) }
                    return "\(text(answer))\nThere are more: --after \(cursor), or --all"
                })
            guard isWhole || !isShown, code == .done, let next else { return code }
            after = next
        }
    }
}

enum AdminText {
    /// A value without quotes; control characters and characters that would hide others are replaced.
    static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text): visible(text)
        case .integer(let number): "\(number)"
        default: ""
        }
    }

    /// The text of a member, or of a nested member such as `target.device_id`.
    static func text(of path: String, in object: JSONObject) -> String {
        let names = path.split(separator: ".", maxSplits: 1).map(String.init)
        guard names.count == 2 else { return text(object[path]) }
        guard case .object(let inner) = object[names[0]] else { return "" }
        return text(inner[names[1]])
    }

    /// A number with its noun: `1 attempt`, `2 attempts`.
    static func count(_ value: JSONValue?, one: String, many: String) -> String {
        value == .integer(1) ? "1 \(one)" : "\(text(value)) \(many)"
    }

    /// Objects as a table with a heading.
    /// - Parameter columns: the heading of each column and the path of its member, as in `text(of:in:)`.
    static func table(_ objects: [JSONValue], _ columns: [(heading: String, key: String)]) -> String {
        let rows = objects.map { value in
            guard case .object(let object) = value else { return columns.map { _ in "" } }
            return columns.map { text(of: $0.key, in: object) }
        }
        return table([columns.map(\.heading)] + rows)
    }

    /// Rows in columns as wide as their widest text.
    private static func table(_ rows: [[String]]) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].unicodeScalars.count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.indices.map { column in
                column == row.count - 1
                    ? row[column] : row[column] + String(repeating: " ", count: widths[column] - row[column].unicodeScalars.count)
            }
            return cells.joined(separator: "  ")
        }.joined(separator: "\n")
    }

    /// The text with control characters and characters that would hide others replaced.
    static func visible(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(isInvisible(scalar) ? "?" : scalar) }
        return String(scalars)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
