import Testing

/// Where the tests begin. The package manager would look for XCTest's tests in an index of the sources otherwise; there are none, and so
/// test builds need no index.
@main
struct TestMain {
    static func main() async {
        guard CommandLine.arguments.contains("swift-testing") else {
            // Asked for XCTest's tests, it would not say that it runs none: what is no list ends it with these words.
            return print("add --disable-xctest --enable-swift-testing, as Scripts/swift-test does")
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
