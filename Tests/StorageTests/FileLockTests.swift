import Glibc
import POSIX
import TestSupport
import Testing

private func failure<Failure: Error>(_ call: () throws(Failure) -> Void) -> Failure? {
    do throws(Failure) {
        try call()
        return nil
    } catch {
        return error
    }
}

@Suite struct FileLockTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("file")
        try directory.write("file", "text")
    }

    private func lock() throws(FileLock.Failure) -> FileLock { try FileLock(path, byte: 100, others: 0..<10) }

    private var refusal: FileLock.Failure? {
        failure { () throws(FileLock.Failure) in _ = try lock() }
    }

    @Test func `excludes other processes until it is released`() throws {
        var lock: FileLock? = try lock()
        #expect(refusal == .held(by: nil))
        withExtendedLifetime(lock) {}
        lock = nil
        lock = try self.lock()
        #expect(lock != nil)
    }

    @Test func `keeps the lock when the file is renamed`() throws {
        let lock = try lock()
        #expect(!lock.isRemoved)
        #expect(unsafe link(path, directory.path("other")) == 0)
        #expect(unsafe unlink(path) == 0)
        let another = failure { () throws(FileLock.Failure) in _ = try FileLock(directory.path("other"), byte: 100, others: 0..<10) }
        #expect(another == .held(by: nil))
        #expect(unsafe unlink(directory.path("other")) == 0)
        #expect(lock.isRemoved)
    }

    /// A program that is being started briefly holds a copy of every descriptor; a duplicate of the descriptor simulates it.
    @Test func `is released while a copy of its descriptor is open`() throws {
        var lock: FileLock? = try lock()
        let copies = ownDescriptors().filter { leads($0, to: path) }.map { dup($0) }
        #expect(copies.count == 1)
        defer { for copy in copies { close(copy) } }
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(refusal == nil)
    }

    private func leads(_ descriptor: Int32, to path: String) -> Bool {
        var (file, named) = (stat(), stat())
        return unsafe fstat(descriptor, &file) == 0 && stat(path, &named) == 0 && file.st_ino == named.st_ino && file.st_dev == named.st_dev
    }

    @Test func `names a process that locks other bytes`() throws {
        let other = try LockingProcess.start(path, 5..<6)
        let lock = try lock()
        #expect(lock.holder(of: 0..<10) == other.identifier)
        #expect(lock.holder(of: 6..<10) == nil)
        #expect(Process.name(of: other.identifier) == "perl")
        other.send(SIGKILL)
        _ = try other.waitForEnd()
        #expect(lock.holder(of: 0..<10) == nil)
    }

    @Test func `locks one byte only`() throws {
        var lock: FileLock? = try lock()
        #expect(FileLock.isHeld(path, byte: 100))
        #expect(!FileLock.isHeld(path, byte: 99))
        #expect(!FileLock.isHeld(path, byte: 101))
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(!FileLock.isHeld(path, byte: 100))
        #expect(!FileLock.isHeld(directory.path("missing"), byte: 100))
    }

    @Test func `reports why the file cannot be opened`() throws {
        let error = failure { () throws(FileLock.Failure) in _ = try FileLock(directory.path("missing"), byte: 1, others: 0..<1) }
        guard case .system(let reason)? = error else {
            Issue.record("the file was opened")
            return
        }
        #expect(reason.isMissing)
    }
}

@Suite struct FileSystemTests {
    @Test func `reports the file's size and the free space`() throws {
        let directory = try TemporaryDirectory()
        try File.create(directory.path("file"), mode: 0o600, [1, 2, 3])
        #expect(try FileSystem.size(of: directory.path("file")) == 3)
        #expect(try FileSystem.freeBytes(at: directory.path) > 0)
        #expect(failure { () throws(SystemError) in _ = try FileSystem.size(of: directory.path("missing")) }?.isMissing == true)
        #expect(failure { () throws(SystemError) in _ = try FileSystem.freeBytes(at: directory.path("missing")) }?.isMissing == true)
    }
}
