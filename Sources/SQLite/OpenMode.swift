/// What a connection may do with its file.
package enum OpenMode: Sendable {
    /// Reads and writes; a missing file is created, for its owner only (0600), in a directory that must exist.
    case readWriteCreate
    /// Reads only; a missing file is an error.
    case readOnly
}
