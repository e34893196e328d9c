internal import Glibc

/// Has every write to a file that this process has open fail, as on a disk with a fault: its descriptors lead to one that only reads.
/// - Returns: whether that has gone well for all of them.
package func makeUnwritable(_ path: String) -> Bool {
    let broken = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard broken >= 0 else { return false }
    defer { close(broken) }
    for number in 3..<Int32(1024) where number != broken {
        let isFile = linkTarget("/proc/self/fd/\(number)").utf8.elementsEqual(path.utf8)
        if isFile, dup2(broken, number) != number { return false }
    }
    return true
}
