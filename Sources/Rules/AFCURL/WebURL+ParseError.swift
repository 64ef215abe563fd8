extension WebURL {
    /// The reason why a text is not a URL.
    public enum ParseError: Error, Equatable, Sendable, CaseIterable {
        /// The text has no scheme, and there is no base.
        case relativeWithoutBase
        /// The text is relative to a URL such as `mailto:`, which has no hierarchy.
        case baseHasOpaquePath
        /// The host is missing.
        case hostMissing
        /// The host has a character that is forbidden in hosts.
        case forbiddenHostCharacter
        /// The host is not a domain name according to IDNA (UTS 46).
        case invalidDomain
        /// The host has letters beyond ASCII, which this build can't translate.
        case unsupportedDomain
        /// The host consists of characters that IDNA removes.
        case emptyDomain
        /// The host ends in a number, like an IPv4 address, but another part of it is not a number.
        case invalidIPv4
        /// The host is an IPv4 address with more than four parts.
        case tooManyIPv4Parts
        /// A number in an IPv4 address is too large.
        case outOfRangeIPv4
        /// The host is in brackets, but isn't an IPv6 address.
        case invalidIPv6
        /// The closing bracket of an IPv6 address is missing.
        case unclosedIPv6
        /// The port is not a number.
        case invalidPort
        /// The port is above 65535.
        case outOfRangePort
        /// The scheme is longer than 16 MiB, the URL than 4 GiB, or a name with letters beyond ASCII than 4 KiB.
        case tooLong
    }
}

extension WebURL.ParseError: CustomStringConvertible {
    /// A description of the error, as a part of a sentence; lower case, no full stop.
    public var description: String {
        switch self {
        case .relativeWithoutBase: "it has no scheme such as 'http:'"
        case .baseHasOpaquePath: "it is relative to a URL without a path"
        case .hostMissing: "the host is missing"
        case .forbiddenHostCharacter: "the host has a character that is forbidden in hosts"
        case .invalidDomain: "the host is not a domain name"
        case .unsupportedDomain:
            "the host has letters beyond ASCII, which this program was built without; write it as 'xn--…'"
        case .emptyDomain: "the host has only characters that domain names ignore"
        case .invalidIPv4: "the host ends in a number, but is not an IPv4 address"
        case .tooManyIPv4Parts: "the host is an IPv4 address with more than four parts"
        case .outOfRangeIPv4: "the host is an IPv4 address with a number that is too large"
        case .invalidIPv6: "the host is not an IPv6 address"
        case .unclosedIPv6: "the host has a '[' without its ']'"
        case .invalidPort: "the port is not a number"
        case .outOfRangePort: "the port is above 65535"
        case .tooLong: "it is too long"
        }
    }
}
