internal import Crypto

/// The share of devices that a release is for, in hundredths of a percent.
public struct Rollout: Sendable, Equatable, CustomStringConvertible {
    /// All devices.
    public static let all = Rollout(hundredths: 10_000)

    /// No device.
    public static let none = Rollout(hundredths: 0)

    /// The share in hundredths of a percent, from 0 to 10,000.
    public let hundredths: Int

    private init(hundredths: Int) { self.hundredths = hundredths }

    /// Reads a percentage; nil if the text isn't one.
    ///
    /// - Parameter text: A number from 0 to 100 with up to two decimals, such as `25` or `0.5`.
    public init?(percent text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, (1...3).contains(parts[0].utf8.count),
            parts.allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }),
            let whole = Int(parts[0])
        else { return nil }
        var decimals = 0
        if parts.count == 2 {
            guard (1...2).contains(parts[1].utf8.count), let number = Int(parts[1]) else { return nil }
            decimals = parts[1].utf8.count == 1 ? number * 10 : number
        }
        guard whole * 100 + decimals <= 10_000 else { return nil }
        hundredths = whole * 100 + decimals
    }

    /// The percentage, without needless digits.
    public var description: String {
        let rest = hundredths % 100
        let decimals = rest % 10 == 0 ? "\(rest / 10)" : "\(rest / 10)\(rest % 10)"
        return rest == 0 ? "\(hundredths / 100)" : "\(hundredths / 100).\(decimals)"
    }

    /// Returns true if a device is among those that a release is for.
    ///
    /// A device that is, still is when the share grows.
    ///
    /// - Parameters:
    ///   - device: The device's ID.
    ///   - salt: The release's digest, so that each release begins with other devices.
    /// - Returns: Whether the device's place is within the share.
    public func includes(_ device: String, of salt: String) -> Bool { Self.place(of: device, salt: salt) < hundredths }

    /// Returns the place of a device, from 0 to 9,999, evenly distributed.
    static func place(of device: String, salt: String) -> Int {
        let digest = SHA256.hash(data: Array("afcache rollout 1\n\(salt)\n\(device)\n".utf8))
        let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(number.multipliedFullWidth(by: 10_000).high)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
}
