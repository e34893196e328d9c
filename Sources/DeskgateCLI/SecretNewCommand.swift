internal import Crypto
internal import JSON

/// `deskgate secret new`
enum SecretNewCommand: Command {
    static let name = "secret new"
    static let summary = "Prints a new random secret: 32 bytes as 43 base64url characters."
    static let options = [Option.json]

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        do throws(CryptoError) {
            let secret = try newSecret()
            if arguments.has("json") {
                Console.print(["secret": .string(secret)])
            } else {
                Console.print(secret)
            }
            return .done
        } catch {
            throw .failed(error.description)
        }
    }

    static func newSecret() throws(CryptoError) -> String {
        let bytes: InlineArray<32, UInt8> = try randomBytes()
        return Base64URL.encode(bytes.span)
    }
}
