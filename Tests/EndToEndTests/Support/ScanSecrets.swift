import TestSupport

/// `Scripts/scan-secrets`, which searches output for secrets.
enum ScanSecrets {
    static func run(_ paths: String...) throws -> (code: Int32, output: String, errors: String) {
        let process = try ChildProcess(packageRoot + "/Scripts/scan-secrets", paths.map { Array($0.utf8) })
        return (try process.exitCode(), try process.output.text(), try process.errors.text())
    }
}
