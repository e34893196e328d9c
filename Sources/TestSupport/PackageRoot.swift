internal import POSIX

/// The directory of the package that the tests were built from.
package let packageRoot: String = {
    // This file is three levels below it.
    (0..<3).reduce(#filePath) { path, _ in Path.directory(of: path) }
}()
