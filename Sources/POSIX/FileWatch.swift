internal import CPOSIX
internal import Glibc

/// Reports that files, or the links and directories that lead to them, have changed (inotify(7)).
///
/// It watches the files and directories that exist when it is created: after a change, create another one. Changes by another machine
/// through a network file system are not reported.
package final class FileWatch: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
        /// An action for the operator.
        package let remedy: String
        /// Whether a directory was removed after `WatchedPaths` was made, so that a new attempt helps.
        package let isOutdated: Bool

        package init(description: String, remedy: String, isOutdated: Bool = false) {
            self.description = description
            self.remedy = remedy
            self.isOutdated = isOutdated
        }
    }

    /// Readable when something may have changed.
    package let descriptor: Int32
    /// The relevant names in a directory, by the directory's watch. A file's watch has none.
    private let names: [Int32: Set<String>]

    // Without IN_MODIFY, because a file that is still being written need not be read, and a database in the same directory changes
    // continuously.
    private static let inDirectory =
        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
    // A file that is mounted alone into a container changes in a directory that the container does not have.
    private static let ofFile = IN_CLOSE_WRITE | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_DONT_FOLLOW
    /// The size of struct inotify_event without the name.
    private static let headSize = 16

    /// - Throws: when the system call fails; then nothing is watched.
    package init(_ places: WatchedPaths) throws(Failure) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        guard descriptor >= 0 else { throw Failure(.last, at: nil) }
        do throws(Failure) {
            names = try Self.add(places, to: descriptor)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    private static func add(_ places: WatchedPaths, to descriptor: Int32) throws(Failure) -> [Int32: Set<String>] {
        var names: [Int32: Set<String>] = [:]
        for (directory, wanted) in places.names {
            let watch = unsafe inotify_add_watch(descriptor, directory, UInt32(inDirectory))
            guard watch >= 0 else { throw Failure(.last, at: directory) }
            names[watch, default: []].formUnion(wanted)
        }
        for file in places.files where unsafe inotify_add_watch(descriptor, file, UInt32(ofFile)) < 0 {
            // The watch of the directory reports a file that was removed or cannot be read.
            let error = SystemError.last
            guard error.isMissing || error.code == EACCES else { throw Failure(error, at: file) }
        }
        return names
    }

    /// Reads the pending reports; never waits. Returns whether any of them may concern the files.
    package func takeChanges() -> Bool {
        var isChanged = false
        while true {
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 16 * 1024) { buffer, count in
                count = unsafe max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
            if bytes.isEmpty { return isChanged }
            if concerns(bytes) { isChanged = true }
        }
    }

    private func concerns(_ events: [UInt8]) -> Bool {
        var rest = events[...]
        while rest.count >= Self.headSize {
            let (watch, length) = unsafe rest.withUnsafeBytes {
                unsafe ($0.loadUnaligned(as: Int32.self), Int($0.loadUnaligned(fromByteOffset: 12, as: UInt32.self)))
            }
            let name = rest.dropFirst(Self.headSize).prefix(length).prefix { $0 != 0 }
            // An event without a name concerns the watched file or directory itself, or reports lost events.
            if name.isEmpty || names[watch]?.contains(String(decoding: name, as: UTF8.self)) == true { return true }
            rest = rest.dropFirst(Self.headSize + length)
        }
        return false
    }
}

extension FileWatch.Failure {
    fileprivate init(_ error: SystemError, at place: String?) {
        let remedy =
            switch error.code {
            case ENOSPC: "raise fs.inotify.max_user_watches (sysctl)"
            case EMFILE: "raise fs.inotify.max_user_instances (sysctl), or the limit of open files (ulimit -n)"
            case EACCES: "let the service's user read that directory"
            default: "see inotify(7)"
            }
        self.init(description: "\(place ?? "inotify"): \(error)", remedy: remedy, isOutdated: error.isMissing || error.code == ENOTDIR)
    }
}
