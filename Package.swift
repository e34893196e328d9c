// swift-tools-version: 6.2
import PackageDescription

// One list of settings for every Swift target, so that no target is checked less strictly than another.
let settings: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Where Debian has libxml2's headers, which whoever imports HTML reads too. Its pkg-config file would link the library, which is loaded
    // when it is needed.
    .unsafeFlags(["-Xcc", "-I/usr/include/libxml2"]),
]

func library(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .target(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

// Each batch of files expands the macros of the module again, so there are only as many batches as cores; this reduces the build time of
// the tests by a fifth.
let testSettings = settings + [.unsafeFlags(["-driver-batch-size-limit", "1000"])]

func tests(_ name: String, _ dependencies: [Target.Dependency], resources: [Resource] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, resources: resources, swiftSettings: testSettings)
}

// A target must import each of its dependencies and nothing else: Scripts/check-imports verifies it, because the package manager does not.
let package = Package(
    name: "deskgate",
    products: [
        .executable(name: "deskgate", targets: ["DeskgateCLI"]),
        .executable(name: "deskgate-benchmarks", targets: ["DeskgateBenchmarks"]),
        // Tests preload it into the service.
        .library(name: "SlowDisk", type: .dynamic, targets: ["SlowDisk"]),
    ],
    targets: [
        .systemLibrary(name: "CMicrohttpd", providers: [.apt(["libmicrohttpd-dev", "libgnutls28-dev"])]),
        .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CJansson", providers: [.apt(["libjansson-dev"])]),
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPOSIX"),
        .systemLibrary(name: "CNghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(name: "CPostgres", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CLibXML2", providers: [.apt(["libxml2-dev"])]),
        .target(name: "COperatorsPage", exclude: ["page"]),
        library("OperatorsPage", ["COperatorsPage"]),
        library("Bytes", []),
        library("Threading", []),
        library("POSIX", ["CPOSIX", "Bytes", "Threading"]),
        library("Time", ["POSIX", "Threading"]),
        library("HTTPServer", ["CMicrohttpd", "JSON", "Threading", "Time", "Bytes"]),
        library("HTTPClient", ["CCurl", "Bytes", "Crypto", "Threading", "Time"]),
        library("Crypto", ["COpenSSL", "Threading"]),
        library("HTTP2Server", ["CNghttp2", "Crypto", "Threading", "Time"]),
        library("JSON", ["CJansson", "Bytes"]),
        library("JSONSchema", ["Bytes", "JSON"]),
        library("WebTokens", ["Crypto", "JSON", "Bytes"]),
        library("HTML", ["CLibXML2"]),
        library("URLPreviews", ["Bytes", "HTML", "HTTPClient", "JSON", "POSIX", "Threading", "Time"]),
        library("SQLite", ["CSQLite"]),
        library("Postgres", ["CPostgres", "Crypto", "Threading", "Time"]),
        library("Observability", ["Threading", "Time", "Bytes"]),
        library("Core", ["Crypto", "JSON", "JSONSchema", "Time", "Bytes"]),
        library("Storage", ["Core", "Crypto", "Postgres", "SQLite", "POSIX", "Threading", "Time"]),
        library("Notifiers", ["Core", "Crypto", "HTTPClient", "JSON", "Observability", "Threading", "Time", "WebTokens", "Bytes"]),
        library(
            "Simulators",
            ["Crypto", "HTTP2Server", "HTTPClient", "HTTPServer", "JSON", "POSIX", "Threading", "WebTokens", "Time", "Bytes"]),
        library(
            "Configuration",
            [
                "Bytes", "Core", "Crypto", "HTML", "HTTPServer", "JSON", "JSONSchema", "Notifiers", "Observability", "POSIX", "Postgres",
                "Time",
            ]),
        library(
            "Tracing", ["Configuration", "Core", "Crypto", "HTTPClient", "JSON", "Notifiers", "Observability", "Threading", "Time"]),
        library("Dispatch", ["Core", "HTTPClient", "Observability", "Threading", "Time", "Tracing"]),
        library(
            "AdminAPI",
            [
                "Configuration", "Core", "Crypto", "HTTPClient", "HTTPServer", "JSON", "Notifiers", "Observability", "OperatorsPage",
                "POSIX", "Threading", "Time", "Bytes",
            ]),
        library(
            "HelpDesk",
            [
                "Configuration", "Core", "Crypto", "HTTPClient", "HTTPServer", "JSON", "Notifiers", "Observability", "POSIX", "Threading",
                "Time", "Tracing", "Bytes",
            ],
            path: "Sources/HelpDesks/HelpDesk"),
        library(
            "Pyrus",
            [
                "Configuration", "Core", "Crypto", "HTTPClient", "HTTPServer", "HelpDesk", "JSON", "Notifiers", "Observability",
                "Threading", "Time", "Tracing", "Bytes",
            ], path: "Sources/HelpDesks/Pyrus"),
        library(
            "Sendbird",
            [
                "Bytes",
                "Configuration",
                "Core",
                "Crypto",
                "HTTPClient",
                "HTTPServer",
                "HelpDesk",
                "JSON",
                "Notifiers",
                "Observability",
                "Threading",
                "Time",
                "Tracing",
                "URLPreviews",
            ], path: "Sources/HelpDesks/Sendbird"),
        library(
            "Bots",
            [
                "Bytes", "Configuration", "Core", "Crypto", "HTTPClient", "HTTPServer", "HelpDesk", "JSON", "JSONSchema", "Observability",
                "Threading", "Time", "Tracing",
            ]),
        library(
            "Service",
            [
                "Bots", "Bytes", "Configuration", "Dispatch", "HelpDesk", "AdminAPI", "Pyrus", "Sendbird", "HTTPServer", "Crypto", "JSON",
                "Observability",
                "POSIX",
                "Core", "Postgres", "Storage", "Notifiers", "HTTPClient",
                "Threading", "Time", "Tracing",
            ]),
        library(
            "Demo",
            [
                "Bytes", "Configuration", "Core", "Crypto", "HTTPClient", "HTTPServer", "JSON", "Observability", "POSIX", "Service",
                "Simulators", "Threading", "Time",
            ]),
        .executableTarget(
            name: "DeskgateCLI",
            dependencies: [
                "Configuration", "Demo", "AdminAPI", "Service", "Simulators", "HTTPServer", "Threading", "Core", "Crypto", "JSON",
                "Observability",
                "POSIX", "Storage",
                "Time",
            ],
            swiftSettings: settings,
            // The static Swift runtime asks the linker to export every symbol, which keeps unused code: 0.7 MB of file and of memory.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--no-export-dynamic"], .when(configuration: .release))]),
        .target(name: "SlowDisk", path: "Tests/SlowDisk"),
        library(
            "TestSupport",
            ["Bytes", "Core", "Crypto", "Postgres", "Storage", "HTTPServer", "JSON", "POSIX", "Threading", "Observability", "Time"],
            path: "Tests/TestSupport"),
        .executableTarget(
            name: "DeskgateBenchmarks",
            dependencies: [
                "Configuration", "Service", "HTTPServer", "HTTPClient", "Core", "Crypto", "JSON", "Observability", "POSIX", "Storage",
                "Threading", "TestSupport", "Time", "HelpDesk",
            ],
            path: "Benchmarks/Micro", swiftSettings: settings),
        tests("BytesTests", ["Bytes"]),
        tests("CryptoTests", ["Crypto", "TestSupport", "Threading", "Time", "Bytes"]),
        tests("JSONTests", ["CJansson", "JSON", "TestSupport"]),
        tests("JSONSchemaTests", ["JSON", "JSONSchema", "POSIX", "TestSupport"]),
        tests("WebTokensTests", ["WebTokens", "Crypto", "JSON", "TestSupport"]),
        tests(
            "NotifiersTests",
            [
                "Configuration", "HelpDesk", "Notifiers", "Pyrus", "Sendbird", "Core", "Crypto", "HTTP2Server", "HTTPClient", "JSON",
                "Observability", "Simulators", "TestSupport", "Threading", "Time", "WebTokens",
            ]),
        tests("ObservabilityTests", ["Observability", "TestSupport", "Threading", "Time"]),
        tests("CoreTests", ["Core", "Crypto", "HTTPClient", "JSON", "JSONSchema", "TestSupport", "Threading", "Bytes", "Time"]),
        tests("HTMLTests", ["HTML", "TestSupport"]),
        tests(
            "URLPreviewsTests", ["Bytes", "HTTPClient", "HTTPServer", "JSON", "POSIX", "TestSupport", "Threading", "Time", "URLPreviews"]),
        tests("HTTPServerTests", ["Bytes", "HTTPServer", "TestSupport", "Threading"]),
        tests("HTTP2ServerTests", ["Crypto", "HTTP2Server", "TestSupport", "Threading", "Time"]),
        tests("SimulatorsTests", ["Crypto", "HTTPClient", "JSON", "Simulators", "TestSupport", "Threading", "Time"]),
        tests("SQLiteTests", ["SQLite", "TestSupport", "Threading"]),
        tests("PostgresTests", ["Postgres", "TestSupport", "Threading"]),
        tests("HTTPClientTests", ["Crypto", "HTTP2Server", "HTTPClient", "HTTPServer", "TestSupport", "Threading"]),
        tests("ThreadingTests", ["TestSupport", "Threading"]),
        tests(
            "TracingTests",
            ["Configuration", "Core", "Crypto", "HTTPClient", "JSON", "Observability", "TestSupport", "Threading", "Time", "Tracing"]),
        tests("TimeTests", ["TestSupport", "Time"]),
        tests("StorageTests", ["Storage", "Core", "Crypto", "Postgres", "SQLite", "POSIX", "TestSupport", "Threading", "Time"]),
        tests(
            "ServiceTests",
            [
                "Bots", "Configuration", "Dispatch", "HelpDesk", "Bytes", "AdminAPI", "Pyrus", "Sendbird", "Simulators", "Service",
                "HTTPClient",
                "HTTPServer", "Core",
                "Crypto",
                "JSON", "JSONSchema", "Notifiers", "Observability", "POSIX", "Postgres",
                "Storage",
                "TestSupport", "Threading", "Time", "Tracing", "URLPreviews",
            ]),
        tests(
            "FaultTests",
            ["Core", "Crypto", "Dispatch", "Observability", "POSIX", "Postgres", "Storage", "TestSupport", "Threading", "Time"]),
        // Depending on the executable makes the package manager build it beside the tests that run it.
        tests(
            "EndToEndTests",
            [
                "Core", "Crypto", "HTTPClient", "HTTPServer", "JSON", "POSIX", "Simulators", "SQLite", "Storage", "Threading", "Time",
                "TestSupport", "DeskgateCLI",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
