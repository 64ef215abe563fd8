internal import AFCHTTP
internal import AFCURL
package import HTTPTypes
internal import RawStructuredFieldValues

/// The part of a URL's query on which a response depends, if that isn't all of it (No-Vary-Search;
/// draft-ietf-httpbis-no-vary-search §3).
package struct SearchVariance: Hashable, Sendable, CustomStringConvertible {
    /// The parameters that make a difference, by their decoded names.
    package enum Names: Hashable, Sendable {
        /// All except these.
        case allBut(Set<[UInt8]>)
        /// Only these.
        case only(Set<[UInt8]>)
    }

    /// A parameter's decoded name and value.
    package struct Parameter: Hashable, Sendable {
        var name: [UInt8]
        var value: [UInt8]
    }

    /// The most names that are read; a response that names more depends on the whole query.
    private static let nameLimit = 128

    private let names: Names
    private let ignoresOrder: Bool

    /// The memory that the value takes, in bytes.
    package var cost: Int {
        switch names {
        case .allBut(let names), .only(let names): names.reduce(64) { $0 + $1.count + 64 }
        }
    }

    /// Creates a variance.
    ///
    /// - Parameters:
    ///   - names: The parameters that make a difference.
    ///   - ignoresOrder: True if the order of parameters with different names makes none.
    package init(names: Names, ignoresOrder: Bool) { (self.names, self.ignoresOrder) = (names, ignoresOrder) }

    /// Reads the field of a response (§4); nil if the response depends on the whole query, as without the field, or with a
    /// malformed one.
    ///
    /// - Parameter fields: The response's fields.
    package init?(_ fields: HTTPFields) {
        guard fields.contains(.noVarySearch),
            let members = StructuredText.dictionary(fields[values: .noVarySearch])
        else { return nil }
        var names = Names.allBut([])
        var ignoresOrder = false
        if let order = members["key-order"] {
            guard let isIgnored = Self.flag(order) else { return nil }
            ignoresOrder = isIgnored
        }
        if let parameters = members["params"] {
            if let all = Self.flag(parameters) {
                if all { names = .only([]) }
            } else {
                guard let ignored = Self.names(parameters) else { return nil }
                names = .allBut(ignored)
            }
        }
        if let exceptions = members["except"] {
            guard case .only = names, let kept = Self.names(exceptions) else { return nil }
            names = .only(kept)
        }
        guard names != .allBut([]) || ignoresOrder else { return nil }
        self.init(names: names, ignoresOrder: ignoresOrder)
    }

    /// The field's value that says the same.
    package var description: String {
        var members: [String] = ignoresOrder ? ["key-order"] : []
        switch names {
        case .allBut(let ignored): if !ignored.isEmpty { members.append("params=" + Self.list(ignored)) }
        case .only(let kept):
            members.append("params")
            if !kept.isEmpty { members.append("except=" + Self.list(kept)) }
        }
        return members.joined(separator: ", ")
    }

    /// Returns true if two queries of one path are equivalent (§5).
    ///
    /// - Parameters:
    ///   - one: A query, without its question mark; nil for none.
    ///   - other: Another one.
    /// - Returns: True if the response answers both.
    package func areEquivalent(_ one: String?, _ other: String?) -> Bool {
        one == other || significant(one) == significant(other)
    }

    /// Returns the parameters of a query that make a difference, in the order that is compared.
    ///
    /// - Parameter query: The query, without its question mark; nil for none.
    /// - Returns: The parameters.
    package func significant(_ query: String?) -> [Parameter] {
        let all = Self.parameters(query).filter { parameter in
            switch names {
            case .allBut(let ignored): !ignored.contains(parameter.name)
            case .only(let kept): kept.contains(parameter.name)
            }
        }
        guard ignoresOrder else { return all }
        // Several values of one name keep their order.
        return all.enumerated().sorted { one, other in
            one.element.name == other.element.name
                ? one.offset < other.offset : one.element.name.lexicographicallyPrecedes(other.element.name)
        }.map(\.element)
    }

    /// Decodes a name or a value as forms encode it (URL Standard §5.1), and a name in the field likewise (§4.3).
    ///
    /// - Parameter bytes: The encoded bytes.
    /// - Returns: The bytes of the decoded text in UTF-8.
    package static func decoded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let text = PercentDecoding.decode(bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 })
        // Malformed UTF-8 becomes a replacement character.
        return Array(String(decoding: text, as: UTF8.self).utf8)
    }

    /// Parses a query as forms encode it (URL Standard §5.1).
    private static func parameters(_ query: String?) -> [Parameter] {
        (query ?? "").utf8.split(separator: UInt8(ascii: "&")).map { part in
            let name = part.prefix { $0 != UInt8(ascii: "=") }
            return Parameter(name: decoded(name), value: decoded(part.dropFirst(name.count + 1)))
        }
    }

    private static func flag(_ member: ItemOrInnerList) -> Bool? {
        guard case .item(let item) = member, case .bool(let flag) = item.rfc9651BareItem else { return nil }
        return flag
    }

    /// Returns the decoded names of a list of strings; nil if it is anything else.
    private static func names(_ member: ItemOrInnerList) -> Set<[UInt8]>? {
        guard case .innerList(let list) = member else { return nil }
        var names: Set<[UInt8]> = []
        for item in list.bareInnerList {
            guard case .string(let name) = item.rfc9651BareItem else { return nil }
            names.insert(decoded(name.utf8))
            guard names.count <= nameLimit else { return nil }
        }
        return names
    }

    private static func list(_ names: Set<[UInt8]>) -> String {
        let texts = names.sorted { $0.lexicographicallyPrecedes($1) }.map { name in
            StructuredText.string(name.map(encoded).joined())
        }
        return "(\(texts.joined(separator: " ")))"
    }

    private static func encoded(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: " "): return "+"
        case _ where FieldText.isLetter(byte) || byte &- UInt8(ascii: "0") < 10 || "-._~[]".utf8.contains(byte):
            return String(decoding: [byte], as: UTF8.self)
        default:
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.count < 2 ? "0" : "") + digits
        }
    }
}
