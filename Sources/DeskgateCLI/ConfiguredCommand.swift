internal import Configuration
internal import Core
internal import Crypto
internal import Observability
internal import POSIX
internal import Service
internal import Threading

/// What commands that start from a configuration have in common.
enum ConfiguredCommand {
    /// Names the configuration where no option does.
    static let variable = "DESKGATE_CONFIG"
    /// Where the configuration is when nobody says.
    static let usualFile = "/etc/deskgate/config.json"

    /// The configuration's file: the option's, else the environment's, else the usual one.
    static func file(_ arguments: Arguments) throws(CommandError) -> String {
        if let given = arguments[Option.config.name] { return given }
        if let named = POSIX.Process.environment(variable), !named.isEmpty {
            try Arguments.refuseKey(named, as: variable)
            return named
        }
        guard File.exists(usualFile) else {
            throw .usage(
                "no configuration: give --config FILE, or set \(variable), or put one at \(usualFile); make one with: deskgate init")
        }
        return usualFile
    }

    /// Reads the configuration; throws every mistake in it.
    static func configuration(_ arguments: Arguments) throws(CommandError) -> Configuration {
        let file = try file(arguments)
        do throws(ConfigurationError) {
            return try Configuration(contentsOf: file)
        } catch {
            throw .configuration(error)
        }
    }

    /// Opens the log, which goes to standard error; whoever gets it closes it.
    static func logSink(_ format: LogFormat) throws(CommandError) -> LogSink {
        do throws(ThreadError) {
            return try LogSink(format: format)
        } catch {
            throw .failed(error.description)
        }
    }

    /// Reads the configuration's apps and keys.
    static func authorizer(_ configuration: Configuration) throws(CommandError) -> Authorizer {
        do throws(CryptoError) {
            return try configuration.makeAuthorizer()
        } catch {
            throw .failed(error.description)
        }
    }
}
