import AFCChannel
import AFCHTTP
import AFCPackageFormat
import AFCText
import ArgumentParser

struct ChannelShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Check a channel and print what it lists.",
        discussion: """
            With '--trust', the channel is checked as a device checks it that reads it for the first time.

              afcache channel show docs.channel --trust team.pub
            """
    )

    @OptionGroup var document: ChannelDocument

    @OptionGroup var keys: TrustedKeysOption

    @Option(help: "Also say which releases the device with this ID gets.")
    var device: String?

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        let file = try await document.read()
        let channel = file.channel
        let signers = try file.signers(subject: document.file)
        if !keys.trust.isEmpty {
            _ = try ChannelMemory(
                accepting: file,
                subject: document.file,
                after: nil,
                trust: ChannelTrust(name: channel.name, keys: keys.publicKeys()),
                now: Clock.now
            )
        }
        guard !format.json else { return Console.print(json(file, signers).serialized) }
        let version = channel.version == 0 ? "not signed yet" : "version \(channel.version)"
        Console.print("\(PrintableText.quoted(channel.name)), \(version)")
        if let created = channel.created { Console.print("created  \(created.iso8601)") }
        if let expires = channel.expires {
            Console.print("expires  \(expires.iso8601)\(expires <= Clock.now ? " (expired)" : "")")
        }
        let keys = channel.keys.map { $0.id + (signers.contains($0) ? " (signed)" : "") }
        Console.print("keys     \(keys.joined(separator: ", ")); \(channel.threshold) must sign")
        for package in channel.packages {
            Console.print("\n\(PrintableText.quoted(package.name))")
            let chosen = device.map { package.release(for: $0)?.digest }
            for release in package.releases {
                let mark = chosen.map { $0 == release.digest ? ", for this device" : "" } ?? ""
                Console.print("  \(release.digest)  \(release.rollout) %, \(Quantity.bytes(release.size))\(mark)")
                for url in release.urls { Console.print("    \(PrintableText.escaped(url))") }
                for patch in release.patches {
                    let urls = patch.urls.map(PrintableText.escaped).joined(separator: " ")
                    Console.print("    from \(patch.from): \(Quantity.bytes(patch.size)) \(urls)")
                }
            }
        }
    }

    private func json(_ file: ChannelFile, _ signers: [PublicKey]) -> JSONValue {
        guard case .object(var members) = file.json else { return .null }
        members.append(("signers", .array(signers.map { .string($0.id) })))
        if let device {
            let chosen = file.channel.packages.map { package in
                (package.name, package.release(for: device).map { JSONValue.string($0.digest) } ?? .null)
            }
            members.append(("device", .object(chosen)))
        }
        return .object(members)
    }
}
