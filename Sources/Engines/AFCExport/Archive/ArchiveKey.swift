internal import AFCURL

/// The key of a URL in the index of a web archive: a "sort-friendly URI reordering transform" (SURT), as the Wayback Machine
/// and its successors make it.
///
/// Keys lose what seldom makes a difference: the scheme, `www.`, case, a slash at the end, the order of parameters, and the
/// IDs of sessions. So several URLs may have one key.
enum ArchiveKey {
    /// Returns the key.
    ///
    /// - Parameter url: The URL.
    /// - Returns: ASCII without blanks, such as `example,docs)/guide?a=1`.
    static func key(of url: WebURL) -> String {
        var host = Array((url.host ?? "").utf8)
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") { host = Array(host[1..<(host.count - 1)]) }
        host = withoutWWW(host)
        var key = Array(
            host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).reversed().joined(separator: [
                UInt8(ascii: ",")
            ])
        )
        let standard = url.scheme == "https" ? 443 : 80
        if let port = url.port, port != standard { key += Array(":\(port)".utf8) }
        key.append(UInt8(ascii: ")"))
        key += path(Array(url.path.utf8))
        let query = query(Array((url.query ?? "").utf8))
        if !query.isEmpty { key += [UInt8(ascii: "?")] + query }
        return String(decoding: key, as: UTF8.self)
    }

    /// Returns a host without a first label such as `www` or `www2`.
    private static func withoutWWW(_ host: [UInt8]) -> [UInt8] {
        guard host.starts(with: "www".utf8), let dot = host.firstIndex(of: UInt8(ascii: ".")),
            host[3..<dot].allSatisfy(isDigit)
        else { return host }
        return Array(host[(dot + 1)...])
    }

    // MARK: Path

    private static func path(_ raw: [UInt8]) -> [UInt8] {
        var kept: [ArraySlice<UInt8>] = []
        let slash = UInt8(ascii: "/")
        for part in decoded(raw).split(separator: slash, omittingEmptySubsequences: false).dropFirst() {
            switch Array(part) {
            case Array(".".utf8): continue
            case Array("..".utf8): if kept.isEmpty { kept.append(part) } else { kept.removeLast() }
            default: kept.append(part)
            }
        }
        var path = [slash]
        for part in kept.dropLast() where !part.isEmpty { path += part + [slash] }
        path += kept.last ?? []
        path = lower(encoded(path))
        path = withoutSession(path)
        if path.count > 1, path.last == slash { path.removeLast() }
        return path
    }

    /// Removes the part of a path in which ASP.NET keeps the ID of a session: `/(s(…24…))/page.aspx` or `/(…24…)/page.aspx`.
    private static func withoutSession(_ path: [UInt8]) -> [UInt8] {
        var path = path
        for isNamed in [true, false] {
            for start in path.indices.reversed()
            where path[start] == UInt8(ascii: "(") && start > 0 && path[start - 1] == UInt8(ascii: "/") {
                guard let end = isNamed ? endOfNamed(path, start) : endOfID(path, start), end < path.count,
                    path[end] == UInt8(ascii: "/"), hasPage(path[(end + 1)...])
                else { continue }
                path.removeSubrange(start...end)
                break
            }
        }
        return path
    }

    /// Returns the end of `(ID)`, with an ID of 24 letters and digits.
    private static func endOfID(_ path: [UInt8], _ start: Int) -> Int? {
        let end = start + 25
        guard end < path.count, path[(start + 1)..<end].allSatisfy(isAlphanumeric), path[end] == UInt8(ascii: ")")
        else {
            return nil
        }
        return end + 1
    }

    /// Returns the end of `(a(ID)b(ID)…)`.
    private static func endOfNamed(_ path: [UInt8], _ start: Int) -> Int? {
        var place = start + 1
        while place + 1 < path.count, isLetter(path[place]), path[place + 1] == UInt8(ascii: "("),
            let end = endOfID(path, place + 1)
        {
            place = end
        }
        guard place > start + 1, place < path.count, path[place] == UInt8(ascii: ")") else { return nil }
        return place + 1
    }

    private static func hasPage(_ rest: ArraySlice<UInt8>) -> Bool {
        let suffix = Array(".aspx".utf8)
        guard rest.count > suffix.count else { return false }
        let beforeQuery = rest.prefix { $0 != UInt8(ascii: "?") }
        return beforeQuery.dropFirst().indices.contains { rest[$0...].starts(with: suffix) }
    }

    // MARK: Query

    private static func query(_ raw: [UInt8]) -> [UInt8] {
        var query = encoded(decoded(raw))
        for session in sessions { query = without(session, in: query) }
        query = lower(query)
        let parameters = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map(Parameter.init)
        return Array(parameters.sorted().map(\.bytes).joined(separator: [UInt8(ascii: "&")]))
    }

    /// A parameter, ordered by its name, without a value before one with.
    private struct Parameter: Comparable {
        let bytes: ArraySlice<UInt8>
        private let equals: Int

        init(_ bytes: ArraySlice<UInt8>) {
            self.bytes = bytes
            equals = bytes.firstIndex(of: UInt8(ascii: "=")) ?? bytes.endIndex
        }

        static func < (one: Parameter, other: Parameter) -> Bool {
            let (name, otherName) = (one.bytes[..<one.equals], other.bytes[..<other.equals])
            if name != otherName { return name.lexicographicallyPrecedes(otherName) }
            return one.bytes[one.equals...].lexicographicallyPrecedes(other.bytes[other.equals...])
        }
    }

    /// The parameters that identify sessions: names, and what their values consist of; nil for any value.
    private struct Session {
        var name: String
        /// The letters between the name and the equals sign.
        var letters = 0
        /// The characters of the value; nil for as many as there are.
        var count: Int?
        var isAlphabetic = false
        /// The parameter that has to follow.
        var next: String?
    }

    private static let sessions = [
        Session(name: "jsessionid", count: 32), Session(name: "phpsessid", count: 32), Session(name: "sid", count: 32),
        Session(name: "aspsessionid", letters: 8, count: 24, isAlphabetic: true),
        Session(name: "cfid", next: "cftoken"),
    ]

    /// Removes the last parameter that identifies a session.
    private static func without(_ session: Session, in query: [UInt8]) -> [UInt8] {
        for start in query.indices.reversed() {
            guard var end = end(of: session, in: query, at: start) else { continue }
            if end < query.count { end += 1 }
            return Array(query[..<start] + query[end...])
        }
        return query
    }

    private static func end(of session: Session, in query: [UInt8], at start: Int) -> Int? {
        func value(after name: String, letters: Int = 0, at place: Int) -> Int? {
            let name = Array(name.utf8)
            guard place + name.count + letters < query.count,
                lower(Array(query[place..<(place + name.count)])) == name
            else { return nil }
            let equals = place + name.count + letters
            guard query[(place + name.count)..<equals].allSatisfy(isLetter), query[equals] == UInt8(ascii: "=") else {
                return nil
            }
            return equals + 1
        }
        func endOfValue(_ begin: Int) -> Int? {
            let end = query[begin...].firstIndex(of: UInt8(ascii: "&")) ?? query.count
            guard let count = session.count else { return end > begin ? end : nil }
            guard end - begin == count, query[begin..<end].allSatisfy(session.isAlphabetic ? isLetter : isAlphanumeric)
            else {
                return nil
            }
            return end
        }
        guard let begin = value(after: session.name, letters: session.letters, at: start), let end = endOfValue(begin)
        else {
            return nil
        }
        guard let next = session.next else { return end }
        return end < query.count ? value(after: next, at: end + 1).flatMap(endOfValue) : nil
    }

    // MARK: Bytes

    /// Decodes percent signs until none is left that encodes a byte.
    private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        while true {
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count)
            var place = 0
            while place < bytes.count {
                if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count, let high = digit(bytes[place + 1]),
                    let low = digit(bytes[place + 2])
                {
                    result.append(high << 4 | low)
                    place += 3
                } else {
                    result.append(bytes[place])
                    place += 1
                }
            }
            // Each round makes the text shorter.
            if result.count == bytes.count { return result }
            bytes = result
        }
    }

    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#") || byte == UInt8(ascii: "%") {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                result.append(byte)
            }
        }
        return result
    }

    private static func lower(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }
}
