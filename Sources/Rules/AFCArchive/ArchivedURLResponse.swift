internal import AFCHTTP
package import HTTPTypes

/// A response as Apple's systems archive it in caches and web archives.
package struct ArchivedURLResponse: Equatable, Sendable {
    /// The URL; nil if it isn't stated.
    package var url: String?
    /// The time at which it was received; nil if it isn't stated.
    package var time: ArchiveDate?
    /// The status; nil if it isn't stated.
    package var status: Int?
    /// The fields.
    package var fields = HTTPFields()
    /// The media type; nil if it isn't stated.
    package var mediaType: String?

    /// Reads a `response_object` of a cache: `{Array: [URL, time, _, status, fields, length, type], Version: 1}`.
    ///
    /// It is nil if the list doesn't have this form.
    ///
    /// - Parameter list: The list.
    package init?(cached list: PropertyList) {
        guard let array = list["Array"], case .array = array else { return nil }
        url = array[0]?["_CFURLString"]?.string
        time = array[1]?.number.flatMap(Self.time)
        status = array[3]?.number.flatMap { Int(exactly: $0) }
        if case .dictionary(let fields) = array[4] { self.fields = Self.fields(fields) }
        mediaType = array[6]?.string.flatMap { MediaType($0)?.description }
    }

    /// Reads a `WebResourceResponse`, which is a keyed archive of one object with the keys `$0`, `$1` and so on.
    ///
    /// It is nil if the list doesn't have this form. The order of the keys differs between systems, so the kind of each
    /// value decides.
    ///
    /// - Parameter list: The list.
    package init?(keyed list: PropertyList) {
        guard case .array(let objects) = list["$objects"], case .dictionary(let tops) = list["$top"] else { return nil }
        func resolved(_ value: PropertyList?) -> PropertyList? {
            guard case .reference(let number) = value else { return value }
            return objects.indices.contains(number) ? objects[number] : nil
        }
        func text(_ value: PropertyList?) -> String? { resolved(value)?.string }
        let top = tops["WebResourceResponse"] ?? tops["root"] ?? tops.values.first
        guard case .dictionary(let members) = resolved(top) else { return nil }
        let numbered = members.compactMap { key, value in
            key.hasPrefix("$") ? Int(key.dropFirst()).map { (number: $0, value: resolved(value)) } : nil
        }
        for (_, value) in numbered.sorted(by: { $0.number < $1.number }) {
            switch value {
            case .integer(let value):
                if status == nil, (100...599).contains(value) { status = Int(value) }
            case .real(let value):
                if time == nil, value > 1_000_000 { time = Self.time(value) }
            case .dictionary:
                if let relative = text(value?["NS.relative"]) {
                    url = url ?? relative
                } else if case .array(let names) = value?["NS.keys"], case .array(let values) = value?["NS.objects"],
                    fields.isEmpty
                {
                    var pairs: [String: PropertyList] = [:]
                    for (name, value) in zip(names, values) {
                        if let name = text(name), let value = resolved(value) { pairs[name] = value }
                    }
                    fields = Self.fields(pairs)
                }
            case .text(let text):
                if mediaType == nil, text.contains("/"), !text.contains(":") {
                    mediaType = MediaType(text)?.description
                }
            default: break
            }
        }
    }

    /// Returns a time by its seconds since 2001; nil if no archive can have it.
    static func time(_ seconds: Double) -> ArchiveDate? {
        guard seconds.isFinite, abs(seconds) < 1e11 else { return nil }
        let time = Timestamp(secondsSinceEpoch: Int64(seconds.rounded(.down)) + 978_307_200)
        guard time >= .earliestText, time <= .latestText else { return nil }
        return ArchiveDate(time: time)
    }

    /// Returns fields, with all values where the list has those of equal names.
    static func fields(_ pairs: [String: PropertyList]) -> HTTPFields {
        var result = HTTPFields()
        let all = pairs["__hhaa__"]?.string.flatMap(allFields) ?? [:]
        for (name, value) in pairs.sorted(by: { $0.key < $1.key }) where name != "__hhaa__" {
            guard let field = HTTPField.Name(name), let joined = value.string ?? value.number.map({ "\($0)" }) else {
                continue
            }
            let values = all.first { $0.key.lowercased() == name.lowercased() }?.value ?? [joined]
            for value in values { result.append(HTTPField(name: field, value: value)) }
        }
        return result
    }

    /// Returns the values of fields by a list in base 64, in which each name has an array.
    private static func allFields(_ text: String) -> [String: [String]]? {
        guard let decoded = Base64Decoder.bytes(of: text), let list = try? BinaryPropertyList.read(decoded),
            case .dictionary(let pairs) = list
        else { return nil }
        return pairs.compactMapValues { value in
            guard case .array(let values) = value, !values.isEmpty else { return nil }
            let texts = values.compactMap(\.string)
            return texts.count == values.count ? texts : nil
        }
    }
}

/// A request as Apple's systems archive it in caches.
package struct ArchivedURLRequest: Equatable, Sendable {
    /// The URL; nil if it isn't stated.
    package var url: String?
    /// The method.
    package var method = "GET"
    /// The fields.
    package var fields = HTTPFields()

    private static let methods: Set<String> = ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]

    /// Reads a `request_object` of a cache, an array whose length differs between systems.
    ///
    /// It is nil if the list doesn't have this form. The fields follow the method.
    ///
    /// - Parameter list: The list.
    package init?(cached list: PropertyList) {
        guard case .array(let values) = list["Array"] else { return nil }
        url = values.lazy.compactMap { $0["_CFURLString"]?.string }.first
        guard let place = values.firstIndex(where: { Self.methods.contains($0.string ?? "") }) else { return }
        method = values[place].string ?? "GET"
        if values.indices.contains(place + 1), case .dictionary(let pairs) = values[place + 1] {
            fields = ArchivedURLResponse.fields(pairs)
        }
    }
}
