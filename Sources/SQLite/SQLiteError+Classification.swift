internal import CSQLite
internal import Glibc

extension SQLiteError {
    /// Whether another connection held a lock for longer than the busy timeout; trying again later may succeed.
    package var isBusy: Bool { [SQLITE_BUSY, SQLITE_LOCKED].contains(primaryCode) }

    /// Whether there is no room: on the disk, in the quota, or below the limit of pages.
    package var isFull: Bool {
        primaryCode == SQLITE_FULL || (primaryCode == SQLITE_IOERR && [ENOSPC, EDQUOT].contains(systemErrno))
    }

    /// Whether the file, its directory or the connection takes no writes.
    package var isReadOnly: Bool { primaryCode == SQLITE_READONLY }

    /// Whether the file is damaged, or no database at all.
    package var isCorrupt: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB].contains(primaryCode) }

    /// Whether a row broke a constraint of its table.
    package var isConstraint: Bool { primaryCode == SQLITE_CONSTRAINT }

    /// Whether the file, or one that belongs to it, could not be opened.
    package var isCannotOpen: Bool { primaryCode == SQLITE_CANTOPEN }

    /// Whether the system failed to read, write or lock the file; a full disk is one of the reasons.
    package var isIOError: Bool { primaryCode == SQLITE_IOERR }

    /// What the operator can do about a file that could not be opened or used; nil when it is not about the file.
    package var remedy: String? {
        if isFull { return "free space on the disk that holds the file" }
        switch primaryCode {
        case SQLITE_CANTOPEN:
            return "the directory must exist, and this user must be allowed to enter it and to create files in it"
        case SQLITE_READONLY, SQLITE_PERM:
            return "this user must be allowed to write the file and its directory, where SQLite keeps the -wal and -shm files"
        case SQLITE_NOTADB:
            return "the path names a file of another kind: name another path, or move the file away"
        case SQLITE_CORRUPT:
            return "restore the file from a backup, or save what `sqlite3 FILE .recover` still finds"
        case SQLITE_BUSY:
            return "another process keeps the file locked: stop it"
        default:
            return nil
        }
    }
}

extension SQLiteError: CustomStringConvertible {
    /// One line for the operator: the file when it could not be opened, SQLite's words, the codes, and the remedy of what concerns the file.
    package var description: String {
        var text = path.map { "cannot open \($0): " } ?? ""
        text += "\(message) (SQLite code \(extendedCode)"
        if systemErrno != 0 { text += unsafe ", \(String(cString: strerror(systemErrno)))" }
        text += ")"
        if let remedy { text += "; \(remedy)" }
        return text
    }
}
