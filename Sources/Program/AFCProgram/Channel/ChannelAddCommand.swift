import AFCCache
import AFCChannel
import AFCDelta
import AFCFiles
import AFCPackageFile
import AFCPackageFormat
import AFCText
import AFCURL
import ArgumentParser

struct ChannelAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "List a package in a channel, or a new release of it.",
        discussion: """
            The package is checked as 'afcache load' checks it, and its digest, size and date are stated. With \
            '--rollout' below 100, the other devices get the release before.

              afcache channel add docs.channel docs-1.zip
              afcache channel add docs.channel docs-2.zip --patch docs-1-2.zip --rollout 10
              afcache channel add docs.channel docs-2.zip --base https://a.example/ --base https://b.example/
            """
    )

    @OptionGroup var document: ChannelDocument

    @Argument(help: "The package.", completion: .file(extensions: ["zip"]))
    var package: String

    @Option(
        help: ArgumentHelp(
            """
            The URL of the folder that has the files, absolute or relative to the channel. Repeatable, for mirrors. \
            (default: the channel's own folder)
            """,
            valueName: "url"
        )
    )
    var base: [String] = []

    @Option(
        help: ArgumentHelp("A patch that leads to the package, from 'afcache patch'. Repeatable.", valueName: "file"),
        completion: .file(extensions: ["zip"])
    )
    var patch: [String] = []

    @Option(help: "The percentage of devices that the release is for.", transform: Rollout.argument)
    var rollout: Rollout = .all

    @OptionGroup var settings: PackageSettingsOptions

    @OptionGroup var change: ChannelChangeOptions

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        for base in base where !base.contains("://") && !base.hasPrefix(".") && !base.hasPrefix("/") {
            let first = base.prefix { $0 != "/" }
            let label = first.split(separator: ".").last ?? ""
            guard first.contains("."), label.utf8.count > 1, label.allSatisfy({ $0.isASCII && $0.isLetter }),
                !Path.isFolder(Durable.folder(of: document.file) + "/" + first)
            else { continue }
            throw ValidationError(
                "'--base': \(PrintableText.quoted(base)) looks like a host without its scheme; did you mean "
                    + "\(PrintableText.quoted("https://" + base))? For a folder beside the channel, write "
                    + "\(PrintableText.quoted("./" + base))"
            )
        }
    }

    func run() async throws {
        // Reading the package may take long, so a wrong channel is reported first.
        _ = try await document.read()
        var (release, stated) = try await release()
        let name = settings.name ?? stated ?? PackageSource.defaultName(of: package)
        for file in patch { release.patches.append(try patch(file, to: release.digest)) }
        let (isListed, warnings) = try await document.change(waiting, change) { channel -> (Bool, [String]) in
            let before = channel
            try list(release, name, in: &channel)
            return (before.packages.contains { $0.name == name }, self.warnings(of: release, name, in: before))
        }
        for warning in warnings { Console.complain("warning: \(warning)") }
        let count = release.patches.count
        let patches = count == 0 ? "" : count == 1 ? ", 1 patch" : ", \(count) patches"
        Console.print(
            "\(isListed ? "updated" : "added") \(PrintableText.quoted(name)): \(Quantity.bytes(release.size))\(patches), "
                + "for \(rollout) % of the devices"
        )
    }

    /// Reads the channel of a path, and checks that it can be signed, before work of which this is the last step.
    ///
    /// - Returns: The channel, and whether the command signs it.
    /// - Throws: ``ChannelError`` if it is not a channel, `ValidationError` if no key is one of its own.
    func signable() throws -> (file: ChannelFile, isSigning: Bool) {
        let file = try document.readHere()
        let signing = try change.signing(document.file)
        try signing?.requireKey(of: file.channel)
        return (file, signing != nil)
    }

    /// Adds the release to the package of its name, which is added if the channel doesn't list it.
    private func list(_ release: Channel.Release, _ name: String, in channel: inout Channel) throws {
        let listed = channel.packages.firstIndex { $0.name == name }
        var package = listed.map { channel.packages[$0] } ?? Channel.Package(name: name, releases: [])
        package.settings = package.settings.applying(settings.change)
        // A release that was taken back from all devices needs no place in the list.
        package.releases.removeAll { $0.digest == release.digest || $0.rollout == .none }
        if rollout == .all {
            package.releases = []
        } else if package.releases.count > 1 {
            let percent = package.releases[0].rollout
            throw ValidationError(
                "the newest release of \(PrintableText.quoted(name)) is still at \(percent) %; set its rollout to 100 or add the "
                    + "new one with '--rollout 100'"
            )
        }
        package.releases.insert(release, at: 0)
        if let listed { channel.packages[listed] = package } else { channel.packages.append(package) }
    }

    /// Returns what devices would hardly expect of the release, such as patches from a package that the channel lists by
    /// another name.
    private func warnings(of release: Channel.Release, _ name: String, in channel: Channel) -> [String] {
        var warnings: [String] = []
        let shown = PrintableText.quoted(name)
        let before = channel.packages.first { $0.name == name }?.releases ?? []
        // Patches lead from releases that aren't listed any more, too.
        let known = Set(before.map(\.digest) + before.flatMap { $0.patches.map(\.from) })
        for (file, patch) in zip(patch, release.patches) where !known.contains(patch.from) {
            let other = channel.packages.first { $0.releases.contains { $0.digest == patch.from } }
            let advice =
                other.map { "it is one of \(PrintableText.quoted($0.name)); if that is the same package, use '--name'" }
                ?? "only devices that loaded it from elsewhere can use the patch"
            warnings.append(
                "\(PrintableText.quoted(file)) leads from \(patch.from), which is no release of \(shown) in this channel; \(advice)"
            )
        }
        if rollout != .all, !before.contains(where: { $0.digest != release.digest && $0.rollout != .none }) {
            warnings.append(
                "\(shown) has no earlier release in this channel, so devices beyond \(rollout) % get no such package"
            )
        }
        let place = Durable.folder(of: document.file) + "/" + (package.split(separator: "/").last ?? "")
        if base.isEmpty, !document.isRemote, !OpenFile.isRegularFile(place) {
            warnings.append(
                "devices look for \(PrintableText.quoted(place)), which isn't there; copy the package there, or name its URL with '--base'"
            )
        }
        return warnings
    }

    /// Returns the release, and the name that the package states.
    private func release() async throws -> (Channel.Release, name: String?) {
        let path = package
        let (digest, info) = try await OffPool.run { () throws in
            let reader = try PackageReader(path: path, keepsDigests: true)
            try reader.requireLoadable()
            return (try reader.contentDigest().hexadecimal, reader.index.info)
        }
        var release = Channel.Release(digest: digest, size: try size(of: path), urls: urls(of: path))
        release.created = info?.created
        release.rollout = rollout
        return (release, info?.name)
    }

    private func patch(_ file: String, to digest: String) throws -> Channel.Patch {
        let patch = try PatchReader(path: file)
        guard patch.newDigest == digest else {
            throw ValidationError(
                "\(PrintableText.quoted(file)) leads to another package, with the digest \(patch.newDigest) and not \(digest)"
            )
        }
        return Channel.Patch(from: patch.oldDigest, size: try size(of: file), urls: urls(of: file))
    }

    private func size(of path: String) throws -> Int64 {
        do throws(FileError) {
            return try OpenFile(reading: path).size()
        } catch {
            throw CacheError(.inputOutput, subject: path, message: error.message)
        }
    }

    /// Returns the URLs of a file: its name, after each base.
    private func urls(of path: String) -> [String] {
        let name = PercentEncodeSet.component.encode(path.split(separator: "/").last ?? "")
        return base.isEmpty ? [name] : base.map { $0.hasSuffix("/") ? $0 + name : $0 + "/" + name }
    }
}
