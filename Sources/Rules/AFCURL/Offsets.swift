/// The places of a URL's parts in its serialization, in bytes.
///
///     https://user:secret@docs.example:8443/a/b?c
///          |      |       |           |    |    pathEnd
///          |      |       |           |    pathStart
///          |      |       |           hostEnd
///          |      |       hostStart
///          |      usernameEnd
///          schemeEnd
///
/// Without an authority, everything between `schemeEnd` and `pathStart` is at one place after the colon. Then `/.` may
/// come before a path that begins with two slashes, and `pathStart` is after it.
struct Offsets: Sendable {
    /// The scheme's end in 24 bits, then the kind of scheme and two flags: one word instead of four.
    private var head: UInt32 = 0
    var usernameEnd: UInt32 = 0
    var hostStart: UInt32 = 0
    var hostEnd: UInt32 = 0
    var pathStart: UInt32 = 0
    var pathEnd: UInt32 = 0

    static let maximalSchemeEnd = 0xFF_FFFF
    private static let authorityFlag: UInt32 = 1 << 27
    private static let opaqueFlag: UInt32 = 1 << 28

    /// Creates the places of a URL that so far has only a scheme and its colon.
    init(kind: SchemeKind, schemeEnd: Int) {
        head = UInt32(schemeEnd) | UInt32(kind.rawValue) << 24
        clearAuthority()
    }

    var schemeEnd: Int { Int(head & 0xFF_FFFF) }

    var kind: SchemeKind { SchemeKind(rawValue: UInt8(truncatingIfNeeded: head >> 24 & 7)) ?? .other }

    var hasAuthority: Bool {
        get { head & Self.authorityFlag != 0 }
        set { head = newValue ? head | Self.authorityFlag : head & ~Self.authorityFlag }
    }

    var hasOpaquePath: Bool {
        get { head & Self.opaqueFlag != 0 }
        set { head = newValue ? head | Self.opaqueFlag : head & ~Self.opaqueFlag }
    }

    /// The start of the user name or, without one, of the host.
    var authorityStart: Int { schemeEnd + (hasAuthority ? 3 : 1) }

    /// The latest end of the part that a relative reference takes from its base.
    var authorityEnd: Int { hasAuthority ? Int(pathStart) : schemeEnd + 1 }

    /// Removes the user name and password by moving everything from the host on towards the front.
    mutating func cutCredentials() {
        let cut = hostStart - UInt32(authorityStart)
        usernameEnd = UInt32(authorityStart)
        hostStart -= cut
        hostEnd -= cut
        pathStart -= cut
        pathEnd -= cut
    }

    private mutating func clearAuthority() {
        let place = UInt32(schemeEnd + 1)
        (usernameEnd, hostStart, hostEnd, pathStart, pathEnd) = (place, place, place, place, place)
    }
}

/// The schemes that the standard treats specially, and all others.
enum SchemeKind: UInt8, Sendable {
    case other, http, https, ws, wss, ftp, file

    /// Creates the kind of a scheme given in lower case.
    init(_ scheme: some Sequence<UInt8>) {
        for kind in [SchemeKind.http, .https, .file, .ws, .wss, .ftp] where scheme.elementsEqual(kind.name.utf8) {
            self = kind
            return
        }
        self = .other
    }

    @inline(__always)
    var isSpecial: Bool { self != .other }

    var defaultPort: UInt16? {
        switch self {
        case .http, .ws: 80
        case .https, .wss: 443
        case .ftp: 21
        case .file, .other: nil
        }
    }

    private var name: String {
        switch self {
        case .http: "http"
        case .https: "https"
        case .ws: "ws"
        case .wss: "wss"
        case .ftp: "ftp"
        case .file: "file"
        case .other: ""
        }
    }
}
