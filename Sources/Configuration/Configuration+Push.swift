package import Core
package import Crypto

extension Configuration {
    /// How one app's pushes are sent.
    package struct Push: Sendable, Equatable {
        /// Through whom, with which credentials.
        package var provider: Provider
        /// What the phone shows.
        package var style: PushStyle
        /// How the provider is reached.
        package var transport: Transport
    }

    /// A push provider with the credentials of one customer.
    package enum Provider: Sendable, Equatable {
        case apns(APNs)
        case fcm(FCM)
        case rustore(RuStore)
        case hms(HMS)
    }

    /// Apple's.
    package struct APNs: Sendable, Equatable {
        /// What proves who sends.
        package enum Credential: Sendable, Equatable {
            /// The text of the .p8 file, and the identifiers of the key and its team, 10 characters each.
            case token(key: SecretBytes, keyID: String, teamID: String)
            /// A certificate and its private key.
            case certificate(PEMFile, key: PEMFile)
        }

        /// What proves who sends.
        package var credential: Credential
        /// The app's bundle identifier.
        package var topic: String
        /// Where apps from the store are reached.
        package var url: String
        /// Where apps under development are reached.
        package var sandboxURL: String
    }

    /// Google's.
    package struct FCM: Sendable, Equatable {
        /// The text of the service account's key file.
        package var serviceAccount: SecretBytes
        /// Where messages are sent.
        package var url: String
    }

    /// RuStore's.
    package struct RuStore: Sendable, Equatable {
        /// The project's identifier.
        package var projectID: String
        /// The service token.
        package var token: SecretBytes
        /// Where messages are sent.
        package var url: String
    }

    /// Huawei's.
    package struct HMS: Sendable, Equatable {
        /// The app's identifier, digits.
        package var appID: String
        /// The app's secret.
        package var secret: SecretBytes
        /// What Huawei classifies the messages as; nil leaves that to Huawei.
        package var category: String?
        /// Where messages are sent.
        package var url: String
        /// Where access tokens are had.
        package var tokenURL: String
    }

    /// Where registrations are passed on to the help desk.
    package struct Relay: Sendable, Equatable {
        /// The address that takes them.
        package var url: String
        /// How it is reached.
        package var transport: Transport
    }
}

extension Configuration.Provider {
    /// When the certificate expires that proves who sends, in Unix seconds; nil when there is none.
    package var certificateExpiresAt: UInt64? {
        guard case .apns(let apns) = self, case .certificate(let certificate, _) = apns.credential else { return nil }
        return CertificatePair.expiry(ofCertificate: String(decoding: certificate.contents, as: UTF8.self))
    }
}
