public import HTTPCaching
public import PackageFormat
public import URLStandard
public import ZipArchive

/// Writes resources as a package: names, manifest, sidecar, zip, durable when it returns.
public enum PackageWriter {
    /// Where a body comes from.
    public enum Body: Sendable {
        /// Bytes at hand.
        case bytes([UInt8])
        /// A file, read while the package is written.
        case file(path: String)
        /// Bytes that were compressed before, copied as they are.
        case spooled(DeflatedBody)
    }

    /// A resource to write.
    public struct Resource: Sendable {
        /// Status, fields, size and digest.
        public var record: ResourceRecord
        /// The entry, or nil for a redirect; the writer sets its member.
        public var entry: ManifestEntry?
        /// The body, or nil for a redirect.
        public var body: Body?
        /// Whether deflating is worth its time.
        public var isCompressible: Bool

        /// Creates a resource.
        public init(record: ResourceRecord, entry: ManifestEntry?, body: Body?, isCompressible: Bool) {
            self.record = record
            self.entry = entry
            self.body = body
            self.isCompressible = isCompressible
        }
    }

    /// A file that is carried along below `.userdata/`.
    public struct UserData: Sendable {
        /// The member's name, with `.userdata/` before it.
        public var member: String
        /// The file's path.
        public var path: String

        /// Creates the description of a file.
        public init(member: String, path: String) {
            self.member = member
            self.path = path
        }
    }

    /// How to write.
    public struct Options: Sendable {
        /// The manifest's dialect.
        public var dialect: ManifestDialect = .afcache
        /// The base URL for AFCache 0.13's header line, or nil for none.
        public var baseURL: WebURL?
        /// Where the resources were found from.
        public var seeds: [String] = []
        /// The time of packing, which becomes each member's time.
        public var created: Timestamp
        /// The program and its version.
        public var generator: String
        /// The level of zlib, 1 to 9.
        public var level: Int32 = 6
        /// Files to carry along.
        public var userData: [UserData] = []
        /// Whether `.afcache/` is written.
        public var writesSidecar = true
        /// Who signs; a signed package needs its sidecar.
        public var signers: [SigningKey] = []
        /// What encrypts the package, or nil for none.
        public var password: Password?
        /// How many threads deflate, or nil for one each processor.
        public var workers: Int?

        /// Creates options with the defaults.
        public init(created: Timestamp, generator: String) {
            self.created = created
            self.generator = generator
        }
    }

    /// What was written.
    public struct Summary: Sendable, Equatable {
        /// Entries in the manifest.
        public var resources: Int
        /// Records of redirects.
        public var redirects: Int
        /// The bytes of all bodies.
        public var bodyBytes: Int64
        /// The bytes of the package.
        public var packageBytes: Int64
        /// The manifest, for those who want to see it.
        public var manifest: [UInt8]
    }

    /// Writes the package in the place of whatever is at the path; on any error that stays as it was.
    ///
    /// - Parameters:
    ///   - resources: In any order, each URL once.
    ///   - path: The package's path.
    ///   - options: How to write.
    /// - Returns: What was written.
    /// - Throws: ``PackageError``.
    @concurrent
    public static func write(
        _ resources: [Resource],
        to path: String,
        options: Options
    ) async throws(PackageError) -> Summary {
        let sorted = resources.sorted { $0.record.url < $1.record.url }
        var plan = try Plan(sorted, path: path, options: options)
        plan.members.append(
            contentsOf: options.userData.map { data in
                NewMember(name: data.member, content: .file(data.path), isCompressible: true)
            }
        )
        if !options.signers.isEmpty { try await sign(&plan, path: path, options: options) }
        plan.members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        var zipOptions = ZipWriter.Options()
        zipOptions.modified = options.created.secondsSinceEpoch
        zipOptions.level = options.level
        zipOptions.workers = options.workers
        zipOptions.password = options.password
        do throws(ZipError) {
            let bytes = try await ZipWriter.write(to: path, members: plan.members, options: zipOptions)
            plan.summary.packageBytes = bytes
        } catch {
            throw PackageError(error, subject: path)
        }
        return plan.summary
    }

    struct Plan {
        var members: [NewMember] = []
        /// What is known of members without reading them.
        var digests: [String: PackageDigest.Member] = [:]
        var summary = Summary(resources: 0, redirects: 0, bodyBytes: 0, packageBytes: 0, manifest: [])

        init(_ sorted: [Resource], path: String, options: Options) throws(PackageError) {
            for (one, next) in zip(sorted, sorted.dropFirst()) where one.record.url == next.record.url {
                throw PackageError(.unwritable, subject: path, message: "the resource '\(one.record.url)' comes twice")
            }
            let named = sorted.filter { $0.entry != nil }
            let names = MemberNaming.names(forSorted: named.map(\.record.url))
            var manifest = ManifestWriter(dialect: options.dialect, baseURL: options.baseURL)
            for (resource, name) in zip(named, names) {
                guard var entry = resource.entry, let body = resource.body else { continue }
                entry.member = name.isMade ? name.member : nil
                do throws(ManifestWriter.Refusal) {
                    try manifest.append(entry, ruleName: name.member)
                } catch {
                    throw PackageError(error, subject: path)
                }
                members.append(
                    NewMember(name: name.member, content: body.content, isCompressible: resource.isCompressible)
                )
                if let size = resource.record.size, let sha256 = resource.record.sha256, !options.signers.isEmpty {
                    digests[name.member] = PackageDigest.Member(name: name.member, size: size, sha256: sha256)
                }
                summary.bodyBytes += resource.record.size ?? 0
            }
            summary.resources = named.count
            summary.redirects = sorted.count - named.count
            summary.manifest = manifest.bytes
            members.append(
                NewMember(name: PackageLayout.manifest, content: .bytes(manifest.bytes), isCompressible: true)
            )
            guard options.writesSidecar else { return }
            var records: [UInt8] = []
            for resource in sorted { resource.record.write(to: &records) }
            let info = PackageInfo(
                generator: options.generator,
                created: options.created,
                seeds: options.seeds,
                resources: Int64(summary.resources),
                redirects: Int64(summary.redirects),
                bodyBytes: summary.bodyBytes
            )
            members.append(NewMember(name: PackageLayout.records, content: .bytes(records), isCompressible: true))
            members.append(NewMember(name: PackageLayout.info, content: .bytes(info.bytes), isCompressible: true))
        }
    }
}

extension PackageWriter.Body {
    fileprivate var content: NewMember.Content {
        switch self {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path): .file(path)
        case .spooled(let body): .deflated(body)
        }
    }
}

extension PackageError {
    init(_ refusal: ManifestWriter.Refusal, subject: String) {
        switch refusal {
        case .dialectCannotNameMember(let url, let dialect):
            self.init(
                .unwritable,
                subject: subject,
                message: "'\(url)' needs the name of its member in the manifest, which dialect '\(dialect.rawValue)' "
                    + "has no field for; use '--dialect five', or leave the URL out with '--exclude'"
            )
        }
    }
}
