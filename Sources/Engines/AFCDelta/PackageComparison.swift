internal import AFCHTTP
package import AFCPackageFile
package import AFCPackageFormat
internal import AFCText
package import AFCURL
internal import AFCZip
internal import HTTPTypes

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
        /// The resource.
        package var resource: PackageIndex.Resource
        /// The size of its body in bytes; 0 for a redirect.
        package var size: Int64
        /// The SHA-256 of its body in hexadecimal digits; nil for a redirect, or if it wasn't needed.
        package var sha256: String?
    }

    /// The number of resources that are the same.
    package private(set) var equal = 0
    private let old: PackageReader
    private let new: PackageReader

    /// Creates a comparison of two packages.
    package init(_ old: PackageReader, _ new: PackageReader) { (self.old, self.new) = (old, new) }

    /// Compares the packages; blocks, and reads bodies without a record.
    ///
    /// - Parameters:
    ///   - isCompared: Returns true for the URLs to compare.
    ///   - report: Takes each difference, in the order of the URLs.
    /// - Throws: `PackageError` if a body is damaged; `CancellationError`; any error that `report` throws.
    package mutating func run(where isCompared: (WebURL) -> Bool, _ report: (Difference) throws -> Void) throws {
        var (olds, news) = (old.index.resources.makeIterator(), new.index.resources.makeIterator())
        var (one, other) = (olds.next(), news.next())
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
            case (let before?, nil):
                difference = Difference(url: before.url, old: Self.version(before, in: old))
            case (nil, let after?):
                difference = Difference(url: after.url, new: Self.version(after, in: new))
            case (nil, nil): difference = nil
            }
            if let difference, isCompared(difference.url) { try report(difference) }
            if order <= 0 { one = olds.next() }
            if order >= 0 { other = news.next() }
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

    private static func version(_ resource: PackageIndex.Resource, in package: PackageReader) -> Version {
        let size = resource.member.map { package.archive.members[$0].uncompressedSize } ?? 0
        return Version(resource: resource, size: size, sha256: resource.record?.sha256)
    }

    /// Returns what differs between two resources of one URL; nil if nothing does.
    private func compare(_ before: PackageIndex.Resource, _ after: PackageIndex.Resource) throws -> Difference? {
        var difference = Difference(
            url: before.url,
            old: Self.version(before, in: old),
            new: Self.version(after, in: new)
        )
        if try hasOtherBody(&difference) { difference.aspects.append(.body) }
        let (first, second) = (before.record?.fields ?? [:], after.record?.fields ?? [:])
        if (before.record?.status ?? 200) != (after.record?.status ?? 200) { difference.aspects.append(.status) }
        if Self.type(of: before) != Self.type(of: after) { difference.aspects.append(.type) }
        // A package without records has no fields to compare.
        if before.record != nil, after.record != nil {
            let names = Set(first.map(\.name)).union(second.map(\.name)).subtracting(Self.ignored)
            difference.fields = names.filter { first[values: $0] != second[values: $0] }.map(\.rawName).sorted()
            if !difference.fields.isEmpty { difference.aspects.append(.fields) }
        }
        if before.entry?.lastModified != after.entry?.lastModified { difference.aspects.append(.lastModified) }
        if Self.expiry(of: before) != Self.expiry(of: after) { difference.aspects.append(.expires) }
        return difference.aspects.isEmpty ? nil : difference
    }

    /// The fields that say when a response was made, and the one that has a place of its own.
    private static let ignored: Set<HTTPField.Name> = [.date, .age, .expires, .lastModified, .contentType]

    private static func type(of resource: PackageIndex.Resource) -> String? {
        resource.entry?.mediaType ?? resource.record?.fields[.contentType]
    }

    private static func expiry(of resource: PackageIndex.Resource) -> Timestamp? {
        resource.entry?.expires ?? resource.record?.expiry
    }

    /// Returns true if two bodies differ; those without a record are read.
    private func hasOtherBody(_ difference: inout Difference) throws -> Bool {
        guard let before = difference.old?.resource.member, let after = difference.new?.resource.member else {
            return difference.old?.resource.member != difference.new?.resource.member
        }
        if difference.old?.size != difference.new?.size { return true }
        if difference.old?.sha256 == nil { difference.old?.sha256 = try Self.digest(of: before, in: old) }
        if difference.new?.sha256 == nil { difference.new?.sha256 = try Self.digest(of: after, in: new) }
        return difference.old?.sha256 != difference.new?.sha256
    }

    private static func digest(of member: Int, in package: PackageReader) throws -> String {
        do throws(ZipError) {
            return try package.archive.sha256(of: package.archive.members[member])
        } catch {
            throw PackageError(error, subject: package.path)
        }
    }
}
