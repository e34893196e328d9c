internal import Core
internal import Crypto
internal import Service

/// What commands that start from a configuration have in common.
enum ConfiguredCommand {
    /// Reads the configuration; when it is wrong, says every mistake.
    static func configuration(_ arguments: Arguments) -> Configuration? {
        do throws(ConfigurationError) {
            return try Configuration(contentsOf: arguments.required("config"))
        } catch {
            Console.remark(error.description)
            return nil
        }
    }

    /// Reads the configuration's apps and keys.
    static func authorizer(_ configuration: Configuration) -> Authorizer? {
        do throws(CryptoError) {
            return try configuration.makeAuthorizer()
        } catch {
            Console.complain(error.description)
            return nil
        }
    }
}
