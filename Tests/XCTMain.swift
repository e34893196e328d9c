import Testing

/// Where the tests begin. The package manager would look for XCTest's tests in an index of the sources otherwise; there are none, and so
/// test builds need no index.
@main
struct TestMain {
    static func main() async {
        await Testing.__swiftPMEntryPoint() as Never
    }
}
