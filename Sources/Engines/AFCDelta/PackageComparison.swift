package import AFCHTTP
package import AFCPackageFile
internal import AFCPackageFormat
internal import AFCText
package import AFCURL
internal import AFCZip
package import HTTPTypes

/// What differs between two packages, URL by URL; docs/how-to/compare.md.
package struct PackageComparison {
    /// What differs in a resource that both packages have.
    package enum Aspect: String, CaseIterable, Sendable {
        /// The bytes of the body.
        case body
        /// The status.
        case status
        /// The media type.
        case type
        /// Header fields, but for those that say when the response was made.
        case fields
        /// The time of the last modification.
        case lastModified
        /// The time when it expires.
        case expires
    }

    /// A resource that isn't the same in both packages.
    package struct Difference: Sendable {
        /// Its URL.
        package var url: WebURL
        /// The resource in the old package; nil if it was added.
        package var old: Version?
        /// The resource in the new package; nil if it was removed.
        package var new: Version?
        /// What differs, if both packages have it.
        package var aspects: [Aspect] = []
        /// The names of header fields that differ, in alphabetical order.
        package var fields: [String] = []
    }

    /// A resource in one of the packages.
    package struct Version: Sendable {
        /// Its place among the resources of the package.
        package var number: Int
        /// Its URL.
        package var url: WebURL
        /// The status of the response.
        package var status: Int
        /// The size of its body in bytes; 0 for a redirect.
        package var size: Int64
        /// True if it has a body, even an empty one.
        package var hasBody: Bool
        /// The SHA-256 of its body in hexadecimal digits; nil for a redirect, or if it wasn't needed.
        package var sha256: String?
        /// The media type of its body.
        package var mediaType: String?
        /// The header fields; nil if they aren't known.
        package var fields: HTTPFields?
        /// The time of the last modification.
        package var lastModified: Timestamp?
        /// The time when it expires.
        package var expires: Timestamp?

        /// Creates a resource of a package.
        package init(
            number: Int,
            url: WebURL,
            status: Int,
            size: Int64,
            hasBody: Bool,
            sha256: String?,
            mediaType: String?,
            fields: HTTPFields?,
            lastModified: Timestamp?,
            expires: Timestamp?
        ) {
            (self.number, self.url, self.status, self.size) = (number, url, status, size)
            (self.hasBody, self.sha256, self.mediaType, self.fields) = (hasBody, sha256, mediaType, fields)
            (self.lastModified, self.expires) = (lastModified, expires)
        }
    }

    /// The number of resources that are the same.
    package private(set) var equal = 0
    private let old: any ComparedPackage
    private let new: any ComparedPackage

    /// Creates a comparison of two packages.
    package init(_ old: any ComparedPackage, _ new: any ComparedPackage) { (self.old, self.new) = (old, new) }

    /// Compares the packages; blocks, and reads bodies without a record.
    ///
    /// - Parameters:
    ///   - isCompared: Returns true for the URLs to compare.
    ///   - report: Takes each difference, in the order of the URLs.
    /// - Throws: `PackageError` if a body is damaged; `CancellationError`; any error that `report` throws.
    package mutating func run(where isCompared: (WebURL) -> Bool, _ report: (Difference) throws -> Void) throws {
        var (olds, news) = (Cursor(old), Cursor(new))
        var (one, other) = (try olds.next(), try news.next())
        var count = 0
        while one != nil || other != nil {
            count += 1
            if count % 1000 == 0 { try Task.checkCancellation() }
            let order = Self.order(one?.url, other?.url)
            let difference: Difference?
            switch (order <= 0 ? one : nil, order >= 0 ? other : nil) {
            case (let before?, let after?):
                difference = isCompared(before.url) ? try compare(before, after) : nil
                if difference == nil, isCompared(before.url) { equal += 1 }
            case (let before?, nil): difference = Difference(url: before.url, old: before)
            case (nil, let after?): difference = Difference(url: after.url, new: after)
            case (nil, nil): difference = nil
            }
            if let difference, isCompared(difference.url) { try report(difference) }
            if order <= 0 { one = try olds.next() }
            if order >= 0 { other = try news.next() }
        }
    }

    /// The place in a package.
    private struct Cursor {
        private let package: any ComparedPackage
        private var number = 0

        init(_ package: any ComparedPackage) { self.package = package }

        mutating func next() throws -> Version? {
            while number < package.resourceCount {
                number += 1
                if let found = try package.version(number - 1) { return found }
            }
            return nil
        }
    }

    /// Returns a negative number, 0 or a positive number for the order of two URLs; nil comes last.
    private static func order(_ one: WebURL?, _ other: WebURL?) -> Int {
        guard let one else { return 1 }
        guard let other else { return -1 }
        let (first, second) = (one.description, other.description)
        if first == second { return 0 }
        return first.utf8.lexicographicallyPrecedes(second.utf8) ? -1 : 1
    }

    /// Returns what differs between two resources of one URL; nil if nothing does.
    private func compare(_ before: Version, _ after: Version) throws -> Difference? {
        var difference = Difference(url: before.url, old: before, new: after)
        if try hasOtherBody(&difference) { difference.aspects.append(.body) }
        if before.status != after.status { difference.aspects.append(.status) }
        if before.mediaType != after.mediaType { difference.aspects.append(.type) }
        // A package without records has no fields to compare.
        if let first = before.fields, let second = after.fields {
            let names = Set(first.map(\.name)).union(second.map(\.name)).subtracting(Self.ignored)
            difference.fields = names.filter { first[values: $0] != second[values: $0] }.map(\.rawName).sorted()
            if !difference.fields.isEmpty { difference.aspects.append(.fields) }
        }
        if before.lastModified != after.lastModified { difference.aspects.append(.lastModified) }
        if before.expires != after.expires { difference.aspects.append(.expires) }
        return difference.aspects.isEmpty ? nil : difference
    }

    /// The fields that say when a response was made, and the one that has a place of its own.
    private static let ignored: Set<HTTPField.Name> = [.date, .age, .expires, .lastModified, .contentType]

    /// Returns true if two bodies differ; those without a record are read.
    private func hasOtherBody(_ difference: inout Difference) throws -> Bool {
        guard let before = difference.old, let after = difference.new, before.hasBody, after.hasBody else {
            return difference.old?.hasBody != difference.new?.hasBody
        }
        if before.size != after.size { return true }
        if before.sha256 == nil { difference.old?.sha256 = try old.sha256(of: before) }
        if after.sha256 == nil { difference.new?.sha256 = try new.sha256(of: after) }
        return difference.old?.sha256 != difference.new?.sha256
    }
}

/// A package that can be compared with another one: its resources in the order of their URLs.
package protocol ComparedPackage: Sendable {
    /// The number of resources.
    var resourceCount: Int { get }

    /// Returns a resource.
    ///
    /// - Parameter number: Its place.
    /// - Returns: The resource; nil if it is no longer there.
    /// - Throws: An error if the package can't be read.
    func version(_ number: Int) throws -> PackageComparison.Version?

    /// Reads the digest of a resource's body.
    ///
    /// - Throws: An error if the body can't be read, or is damaged.
    func sha256(of version: PackageComparison.Version) throws -> String

    /// Reads the body of a resource, or its first bytes.
    ///
    /// - Throws: An error if the body can't be read, or is damaged.
    func beginning(of version: PackageComparison.Version, limit: Int) throws -> [UInt8]
}

extension PackageReader: ComparedPackage {
    package var resourceCount: Int { index.resources.count }

    package func version(_ number: Int) -> PackageComparison.Version? {
        let resource = index.resources[number]
        return PackageComparison.Version(
            number: number,
            url: resource.url,
            status: resource.record?.status ?? 200,
            size: resource.member.map { archive.members[$0].uncompressedSize } ?? 0,
            hasBody: resource.member != nil,
            sha256: resource.record?.sha256,
            mediaType: resource.entry?.mediaType ?? resource.record?.fields[.contentType],
            fields: resource.record?.fields,
            lastModified: resource.entry?.lastModified,
            expires: resource.entry?.expires ?? resource.record?.expiry
        )
    }

    package func sha256(of version: PackageComparison.Version) throws -> String {
        guard let member = index.resources[version.number].member else { return "" }
        do throws(ZipError) {
            return try archive.sha256(of: archive.members[member])
        } catch {
            throw PackageError(error, subject: path)
        }
    }

    package func beginning(of version: PackageComparison.Version, limit: Int) throws -> [UInt8] {
        try beginning(of: index.resources[version.number], limit: limit)
    }
}
