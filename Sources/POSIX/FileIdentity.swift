internal import Glibc

/// Which file this is, whatever its path: the device and the inode. Two files have different ones as long as either is open or has a name.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Asks for the file that a path leads to; symbolic links are followed.
    /// - Throws: `isMissing` when there is none.
    package init(path: String) throws(SystemError) {
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { throw SystemError.last }
        self.init(status)
    }

    /// Asks for an open file.
    init(descriptor: Int32) throws(SystemError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError.last }
        self.init(status)
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
