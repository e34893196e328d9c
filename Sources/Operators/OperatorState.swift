package import Configuration
package import Core
internal import Crypto

/// What the admin listener needs of the configuration in force: an immutable snapshot, which a reload replaces.
package final class OperatorState: Sendable {
    /// Names people as the log does, and mints.
    let authorizer: Authorizer
    /// How long a minted key lives when nobody says, in seconds; 0 for ever.
    let defaultLifeSeconds: UInt64
    /// What callers must show; nil when none is configured.
    let token: SecretBytes?
    /// Whether `/metrics` needs the token as well.
    let metricsNeedToken: Bool
    /// The names that questions may name.
    let names: KnownNames
    /// Who is told of devices that are removed, and how long an event is delivered after its arrival.
    let registryAudience: RegistryAudience

    /// Takes the snapshot of a configuration, whose apps `authorizer` has.
    package init(_ configuration: Configuration, authorizer: Authorizer, registryAudience: RegistryAudience) {
        self.authorizer = authorizer
        defaultLifeSeconds = configuration.defaultLifeSeconds
        token = configuration.admin.token
        metricsNeedToken = configuration.admin.metricsNeedToken || !configuration.admin.isLocal
        names = KnownNames(configuration)
        self.registryAudience = registryAudience
    }
}
