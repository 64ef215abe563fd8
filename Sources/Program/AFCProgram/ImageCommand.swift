import AFCCache
import AFCDelivery
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCProcess
import AFCProvisioning
import AFCServer
import AFCText
import AFCURL
import ArgumentParser

struct ImageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "image",
        abstract: "Make a container image that serves packages, without Docker.",
        discussion: """
            The image has this program with its libraries, and the packages. When it is run, it serves the site of the \
            packages at port 8080, under any host, as a user without rights. The same packages and the same program \
            give the same image. share/doc/afcache/how-to/container.md says how to run it.

              afcache image docs.zip -o oci-layout:docs
              afcache image docs.zip --push oci://registry.example/docs:2
              podman run -p 8080:8080 oci:docs:latest
            """
    )

    @Argument(help: "The packages to serve.", completion: .file(extensions: ["zip"]))
    var packages: [String]

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp(
            "The folder to write the image to, oci-layout:FOLDER[:TAG]. Other images there stay.",
            valueName: "name"
        )
    )
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Push the image into a registry, oci://HOST[:PORT]/NAME[:TAG].",
            valueName: "name"
        )
    )
    var push: String?

    @Option(
        help: ArgumentHelp(
            "The site to serve. (default: where the crawl of the packages began)",
            valueName: "url"
        )
    )
    var site: String?

    @Option(
        help: ArgumentHelp(
            "Describe the image, for example org.opencontainers.image.version=2. Repeatable.",
            valueName: "key=value"
        )
    )
    var label: [String] = []

    @Option(
        help: ArgumentHelp("The afcache for the image. (default: the one that is running)", valueName: "file"),
        completion: .file()
    )
    var program: String?

    @Option(
        help: ArgumentHelp(
            """
            An image to build on, oci-layout:FOLDER[:TAG] or oci://HOST[:PORT]/NAME[:TAG], which has the libraries that \
            the program needs. (default: none; the program's libraries are taken from this machine)
            """,
            valueName: "name"
        )
    )
    var baseImage: String?

    @OptionGroup(title: "Registry") var servers: DownloadOptions

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    private static let port: UInt16 = 8080
    /// The image of a push is made in a folder with this name.
    private static let folder = "image"

    func validate() throws {
        guard !packages.isEmpty else { throw ValidationError("name a package") }
        guard output != nil || push != nil else {
            throw ValidationError(
                "say where the image goes, with '-o oci-layout:FOLDER' or '--push oci://HOST/NAME:TAG'"
            )
        }
        if let output, !output.hasPrefix(RegistryLayout.prefix) {
            throw ValidationError(
                output.hasPrefix(RegistryReference.prefix)
                    ? "'-o' writes a folder; use '--push \(output)' for a registry"
                    : output.contains(":")
                        ? "'-o \(output)' is no folder of images; write '-o oci-layout:FOLDER', which 'skopeo copy' converts"
                        : "'-o \(output)' is no folder of images; write '-o oci-layout:\(output)'"
            )
        }
        if let push, !push.hasPrefix(RegistryReference.prefix) {
            throw ValidationError(
                "'--push \(push)' is no name in a registry; write one such as oci://registry.example/docs:2"
            )
        }
        for label in label {
            guard let sign = label.firstIndex(of: "="), sign != label.startIndex else {
                throw ValidationError("'--label \(label)' has no key; write KEY=VALUE")
            }
        }
        if let base = baseImage, !base.hasPrefix(RegistryReference.prefix), !base.hasPrefix(RegistryLayout.prefix) {
            throw ValidationError("'--base-image \(base)' is no image; write oci-layout:FOLDER or oci://HOST/NAME:TAG")
        }
        var names: Set<String> = []
        for package in packages where !names.insert(Self.name(of: package)).inserted {
            throw ValidationError("two packages have the name '\(Self.name(of: package))'; rename one of them")
        }
    }

    func run() async throws {
        let reference = try push.map { try RegistryReference($0) }
        let layout = try output.map { try RegistryLayout($0) }
        var options = PackageDownload.Options.ofProgram(for: push ?? baseImage ?? "")
        options.servers = try servers.servers(for: [push, baseImage].compactMap { $0 })
        let scratch = try TemporaryFolder(for: Self.folder, in: OutputTarget.temporaryFolder)
        defer {
            Console.endProgress()
            scratch.remove()
        }
        let (command, settings) = (self, options)
        try await StopSignals.cancelling {
            try await command.run(layout, reference, settings, scratch: scratch.path)
        }
    }

    private func run(
        _ layout: RegistryLayout?,
        _ reference: RegistryReference?,
        _ options: PackageDownload.Options,
        scratch: String
    ) async throws {
        let (image, written) = try await write(to: layout ?? Self.layout(in: scratch), options, scratch)
        let platform = "linux/\(image.program.architecture)"
        var sent: Int64?
        if let reference {
            do throws(DeliveryError) {
                sent = try await RegistryPush.push(
                    written,
                    to: reference,
                    logins: try await Self.logins(reference),
                    options: options
                ) { done, all in
                    Console.progress("\(reference): \(Quantity.bytes(done)) of \(Quantity.bytes(all))")
                }.sent
            } catch {
                guard error.code != .cancelled else { throw CancellationError() }
                throw TransferFailure(verb: "push", error: error)
            }
        }
        Console.endProgress()
        guard !format.json else {
            func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
            return Console.print(
                JSONValue.object([
                    ("output", text(layout?.description)), ("pushed", text(reference?.description)),
                    ("manifest", .string(written.digest)), ("platform", .string(platform)),
                    ("bytes", .number(String(written.size))), ("sentBytes", .number(String(sent ?? 0))),
                ]).serialized
            )
        }
        let size = Quantity.bytes(written.size)
        if let layout { Console.print("wrote \(layout.description): \(platform), \(size); \(written.digest)") }
        if let reference, let sent {
            let part = sent == written.size ? "" : ", of which \(Quantity.bytes(sent)) were sent"
            Console.print("pushed \(reference): \(platform), \(size)\(part); \(written.digest)")
        }
    }

    /// Returns what is known of the user's logins; the helper's errors aren't the registry's.
    private static func logins(_ reference: RegistryReference) async throws(DeliveryError) -> RegistryLogins {
        do {
            return try await RegistryLogins.ofUser(for: reference)
        } catch {
            throw DeliveryError(.inputOutput, subject: reference.description, message: "\(error)")
        }
    }

    private static func layout(in folder: String) throws -> RegistryLayout {
        try RegistryLayout(RegistryLayout.prefix + folder + "/layout:latest")
    }

    /// Makes the image.
    private func write(
        to layout: RegistryLayout,
        _ options: PackageDownload.Options,
        _ scratch: String
    ) async throws -> (SiteImage, WrittenImage) {
        var image = try describe(scratch)
        if let base = baseImage {
            if base.hasPrefix(RegistryReference.prefix) {
                let reference = try RegistryReference(base)
                image.base = try await RegistryPull.base(
                    reference,
                    for: image.program,
                    into: scratch,
                    logins: try await RegistryLogins.ofUser(for: reference),
                    options: options
                ) { done, all in
                    Console.progress("\(reference): \(Quantity.bytes(done)) of \(Quantity.bytes(all))")
                }
                Console.endProgress()
            } else {
                do throws(DeliveryError) {
                    image.base = try RegistryLayout(base).base(for: image.program)
                } catch {
                    throw ImageFailure(error: error)
                }
            }
        }
        do throws(DeliveryError) {
            return (image, try layout.put(image))
        } catch {
            guard error.code != .cancelled else { throw CancellationError() }
            throw ImageFailure(error: error)
        }
    }

    /// Checks packages and program, and says what the image has and does.
    ///
    /// - Parameter scratch: A folder for what the image has and doesn't exist yet.
    /// - Returns: The image, without a base.
    /// - Throws: An error about a package, the program or an option.
    private func describe(_ scratch: String) throws -> SiteImage {
        var (digests, seeds, created): ([String], [String], Timestamp?) = ([], [], nil)
        for package in packages {
            let reader = try PackageReader(path: package, keepsDigests: true)
            try reader.requireLoadable()
            digests.append(try reader.contentDigest().hexadecimal)
            seeds += reader.index.info?.seeds ?? []
            if let date = reader.index.info?.created { created = max(created ?? date, date) }
        }
        let site = try site(seeds)
        let files = try packages.map { package in
            var file = SiteImage.Package(path: package, name: Self.name(of: package))
            // Another program may read other indexes.
            guard program == nil else { return file }
            let index = scratch + "/" + file.name + ".index"
            try MountedPackages.writeIndex(of: package, to: index, now: created ?? Timestamp(secondsSinceEpoch: 0))
            file.index = index
            return file
        }.sorted { $0.name < $1.name }
        var image = SiteImage(
            program: try chosenProgram(),
            packages: files,
            created: created,
            // The server's own pages, such as the search, aren't shown with one site.
            serving: ["serve"] + files.map(\.place)
                + files.filter { $0.index != nil }.flatMap { ["--mount-index", $0.indexPlace] }
                + ["--site", site.description, "--listen", "0.0.0.0", "--mount-cache", "none", "--no-search"],
            checking: ["serve", "--probe"],
            port: Self.port
        )
        let title = Self.name(of: packages[0])
        image.labels = [
            "org.opencontainers.image.title": title.hasSuffix(".zip") ? String(title.dropLast(4)) : title,
            "org.opencontainers.image.url": site.description,
            "io.afcache.package.digest": digests.joined(separator: ","),
        ]
        image.labels["org.opencontainers.image.created"] = created?.iso8601
        for label in label {
            let parts = label.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            image.labels[String(parts[0])] = String(parts[1])
        }
        return image
    }

    /// Returns the site that is served: the user's, or the one where the crawl began.
    private func site(_ seeds: [String]) throws -> WebURL {
        let store = try MountedPackages(packages, options: MountedPackages.Options(), now: Clock.now)
        if let site {
            guard let url = try? WebURL(site), url.isHTTP || url.scheme == "afcpkg", url.host != nil else {
                throw ValidationError("'--site \(site)' is no URL of a site; write one such as https://docs.example/")
            }
            guard try store.hasResources(beginningWith: url) else {
                let origins = store.origins().map(\.origin).prefix(5).joined(separator: ", ")
                throw ValidationError("nothing of '\(site)' is in the packages; they have \(origins)")
            }
            return url
        }
        let known = try seeds.compactMap { try? WebURL($0) }.filter { try store.hasResources(beginningWith: $0) }
        let starts = known.isEmpty ? store.origins().compactMap(\.start) : known
        let sites = Set(starts.map(\.origin)).sorted()
        guard sites.count < 2 else {
            throw ValidationError(
                "the packages have several sites, \(sites.prefix(5).joined(separator: ", ")); choose one with '--site'"
            )
        }
        let shortest = starts.min {
            ($0.description.utf8.count, $0.description) < ($1.description.utf8.count, $1.description)
        }
        guard let start = known.first ?? shortest else {
            throw ValidationError("the packages have no page to begin with; name the site with '--site'")
        }
        return start
    }

    private func chosenProgram() throws -> ImageProgram {
        let path: String
        if let program {
            path = program
        } else {
            guard let own = try? OpenFile.resolvedPath(of: "/proc/self/exe") else {
                throw ValidationError(
                    "the running program isn't one for Linux, or was replaced; name one with '--program'"
                )
            }
            path = own
        }
        do throws(DeliveryError) {
            guard baseImage == nil else { return try ImageProgram(path: path) }
            let environment = ProcessEnvironment.variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            return try ImageProgram(path: path) { words in
                try ChildProcess.output(of: words, environment: environment, input: [], limit: 1 << 20, within: 30)
            }
        } catch {
            throw ImageFailure(error: error)
        }
    }

    private static func name(of package: String) -> String {
        package.split(separator: "/").last.map(String.init) ?? package
    }
}

/// A failure to make an image, of files on this machine; other failures of a transfer speak of a download.
struct ImageFailure: Error {
    let error: DeliveryError
}
