import Glibc
import POSIX
import TestSupport
import Testing

/// What a call throws.
private func failure(_ call: () throws(SystemError) -> Void) -> SystemError? {
    do throws(SystemError) {
        try call()
        return nil
    } catch {
        return error
    }
}

@Suite struct FileLockTests {
    @Test func excludesOthersUntilItIsLetGo() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("lock")
        var lock: FileLock? = try FileLock(path)
        #expect(failure { () throws(SystemError) in _ = try FileLock(path) }?.isHeldElsewhere == true)
        withExtendedLifetime(lock) {}
        lock = nil
        lock = try FileLock(path)
        #expect(lock != nil)
    }

    /// A program that is being started has a copy of every descriptor for a moment; another descriptor of the same open file stands for it.
    @Test func isLetGoWhileACopyOfItsDescriptorIsOpen() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("lock")
        var lock: FileLock? = try FileLock(path)
        let copies = (3..<1024 as Range<Int32>).filter { leads($0, to: path) }.map { dup($0) }
        #expect(copies.count == 1)
        defer { for copy in copies { close(copy) } }
        withExtendedLifetime(lock) {}
        lock = nil
        #expect(failure { () throws(SystemError) in _ = try FileLock(path) } == nil)
    }

    private func leads(_ descriptor: Int32, to path: String) -> Bool {
        var (file, named) = (stat(), stat())
        return unsafe fstat(descriptor, &file) == 0 && stat(path, &named) == 0 && file.st_ino == named.st_ino && file.st_dev == named.st_dev
    }

    @Test func saysWhyTheFileCannotBeOpened() throws {
        let directory = try TemporaryDirectory()
        #expect(failure { () throws(SystemError) in _ = try FileLock(directory.path("missing/lock")) }?.isMissing == true)
    }
}

@Suite struct FileSystemTests {
    @Test func knowsSizeAndRoom() throws {
        let directory = try TemporaryDirectory()
        try File.create(directory.path("file"), mode: 0o600, [1, 2, 3])
        #expect(try FileSystem.size(of: directory.path("file")) == 3)
        #expect(try FileSystem.freeBytes(at: directory.path) > 0)
        #expect(failure { () throws(SystemError) in _ = try FileSystem.size(of: directory.path("missing")) }?.isMissing == true)
        #expect(failure { () throws(SystemError) in _ = try FileSystem.freeBytes(at: directory.path("missing")) }?.isMissing == true)
    }
}
