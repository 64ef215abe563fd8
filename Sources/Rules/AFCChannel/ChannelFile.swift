public import AFCHTTP
public import AFCPackageFormat
public import AFCText
internal import Crypto

/// The file of a channel: its description, as its publisher wrote it, and the signatures.
public struct ChannelFile: Sendable, Equatable {
    /// The maximum size of the file in bytes.
    public static let byteLimit = 8 << 20
    /// The maximum number of signatures.
    static let signatureLimit = 32

    static let header = "afcache-channel-1\n"
    private static let signatureStart = Array("\nafcache-channel-signature-".utf8)

    /// What the file says.
    public let channel: Channel
    /// The bytes that are signed.
    let signed: [UInt8]
    /// The signatures, of which none has been verified.
    public private(set) var signatures: [PackageSignature] = []

    /// Describes a channel, without signatures.
    ///
    /// - Parameter channel: The channel.
    public init(_ channel: Channel) {
        self.channel = channel
        var text = Self.header
        ChannelJSON.write(ChannelJSON.value(of: channel), to: &text, indentation: 0)
        signed = Array((text + "\n").utf8)
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - subject: The path or the URL, for errors.
    /// - Throws: ``ChannelError`` with the code `malformed`.
    public init(_ bytes: [UInt8], subject: String) throws(ChannelError) {
        func malformed(_ message: String) -> ChannelError {
            ChannelError(.malformed, subject: subject, message: message)
        }
        guard bytes.count <= Self.byteLimit else {
            throw malformed("a channel has at most \(Self.byteLimit >> 20) MiB")
        }
        guard bytes.starts(with: Self.header.utf8) else {
            throw malformed(
                "the first line must be 'afcache-channel-1'; the file isn't a channel, or a newer program wrote it"
            )
        }
        let end = bytes.firstRange(of: Self.signatureStart).map { $0.lowerBound + 1 } ?? bytes.count
        signed = Array(bytes[..<end])
        let value: JSONValue
        do throws(JSONValue.SyntaxError) {
            value = try JSONValue(parsing: Array(signed.dropFirst(Self.header.utf8.count)))
        } catch {
            throw malformed("the description is not JSON, from byte \(error.offset + Self.header.utf8.count)")
        }
        do throws(ChannelJSON.Problem) {
            channel = try ChannelJSON.channel(value)
        } catch {
            throw malformed(error.message)
        }
        guard end < bytes.count else { return }
        let lines = signed.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) }
        do throws(SignatureRefusal) {
            signatures = try PackageSignature.list(Array(bytes[end...]), for: .channel, after: lines)
        } catch {
            guard case .malformed(let line, let reason) = error else { throw malformed(error.sentence) }
            throw malformed("line \(line) \(reason)")
        }
        guard signatures.count <= Self.signatureLimit else {
            throw malformed("a channel has at most \(Self.signatureLimit) signatures")
        }
    }

    /// The description as JSON.
    public var json: JSONValue { ChannelJSON.value(of: channel) }

    /// The file's bytes.
    public var bytes: [UInt8] { signatures.reduce(signed) { $0 + Array($1.line(for: .channel).utf8) } }

    /// The SHA-256 of what is signed, in hexadecimal digits.
    var digest: String { Hexadecimal.text(SHA256.hash(data: signed)) }

    /// Adds a signature; returns false if the system has no randomness for signing.
    ///
    /// - Parameters:
    ///   - key: The signer's key, whose earlier signature is replaced.
    ///   - created: The time of signing.
    /// - Returns: Whether it was signed.
    public mutating func sign(by key: SigningKey, created: Timestamp) -> Bool {
        guard let signature = PackageSignature(digest, for: .channel, by: key, created: created) else { return false }
        signatures.removeAll { $0.key == key.publicKey }
        signatures.append(signature)
        return true
    }

    /// True if all signatures, if any, are of what the file has.
    public var isAsSigned: Bool { wrongSignature == nil }

    private var wrongSignature: PackageSignature? {
        let digest = digest
        return signatures.first { !$0.isValid(for: digest, .channel) }
    }

    /// Verifies all signatures.
    ///
    /// - Parameter subject: The path or the URL, for errors.
    /// - Returns: The keys that signed.
    /// - Throws: ``ChannelError`` with the code `wrongSignature`.
    public func signers(subject: String) throws(ChannelError) -> [PublicKey] {
        if let wrongSignature {
            throw ChannelError(
                .wrongSignature,
                subject: subject,
                message:
                    "the signature by \(wrongSignature.key.id) doesn't match; the channel was changed after it was signed"
            )
        }
        return signatures.map(\.key)
    }
}
