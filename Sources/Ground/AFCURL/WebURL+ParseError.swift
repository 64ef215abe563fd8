extension WebURL {
    /// Why a text is not a URL.
    public enum ParseError: Error, Equatable, Sendable, CaseIterable {
        /// It has no scheme, and there is no base.
        case relativeWithoutBase
        /// It is relative to a URL such as `mailto:`, which has no hierarchy.
        case baseHasOpaquePath
        /// There is nothing where the host should be.
        case hostMissing
        /// The host has a character that no host may have.
        case forbiddenHostCharacter
        /// The host is not a domain name by IDNA (UTS 46).
        case invalidDomain
        /// The host consists of characters that IDNA drops.
        case emptyDomain
        /// The host ends in a number, as IPv4 addresses do, and another part of it is none.
        case invalidIPv4
        /// The host is an IPv4 address of more than four parts.
        case tooManyIPv4Parts
        /// A number in an IPv4 address is too large.
        case outOfRangeIPv4
        /// The host is in brackets and isn't an IPv6 address.
        case invalidIPv6
        /// The bracket before an IPv6 address is never closed.
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
    /// What is wrong, as a part of a sentence; lower case, no full stop.
    public var description: String {
        switch self {
        case .relativeWithoutBase: "it has no scheme such as 'http:'"
        case .baseHasOpaquePath: "it is relative to a URL without a path"
        case .hostMissing: "the host is missing"
        case .forbiddenHostCharacter: "the host has a character that no host may have"
        case .invalidDomain: "the host is not a domain name"
        case .emptyDomain: "the host has only characters that domain names ignore"
        case .invalidIPv4: "the host ends in a number and is not an IPv4 address"
        case .tooManyIPv4Parts: "the host is an IPv4 address of more than four parts"
        case .outOfRangeIPv4: "the host is an IPv4 address with a number that is too large"
        case .invalidIPv6: "the host is not an IPv6 address"
        case .unclosedIPv6: "the host has a '[' without its ']'"
        case .invalidPort: "the port is not a number"
        case .outOfRangePort: "the port is above 65535"
        case .tooLong: "it is too long"
        }
    }
}
