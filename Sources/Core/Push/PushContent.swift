/// How much of a comment a notification shows, where anybody may see it: on a locked screen, and to the provider that carries it.
package enum PushContent: String, Sendable, CaseIterable {
    /// Who wrote it, and the text or the names of the files.
    case full
    /// Who wrote it.
    case author
    /// That there is something.
    case `private`
}
