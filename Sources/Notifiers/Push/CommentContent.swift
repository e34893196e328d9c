internal import JSON

/// What people see of a comment, read from the data of its event.
struct CommentContent: Equatable {
    /// The data is no JSON object, or has no comment; the error holds nothing of it.
    struct Unreadable: Error, Equatable {}

    /// Who wrote it, if that is known.
    let authorName: String?
    /// What was written; empty when only files were sent.
    let text: String
    /// The names of the files, one for each, nil where a file has none.
    let fileNames: [String?]

    /// Reads an event's data. Beside the comment itself everything may be missing.
    init(data: [UInt8]) throws(Unreadable) {
        guard let data = try? JSONElement(parsing: data.span), let comment = data["comment"], comment.isObject else {
            throw Unreadable()
        }
        text = comment["body"]?.string ?? ""
        authorName = data["author"]?["name"]?.string
        fileNames = data["attachments"]?.elements.map { $0["name"]?.string } ?? []
    }
}
