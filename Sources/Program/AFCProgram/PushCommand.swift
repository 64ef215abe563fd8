import AFCCache
import AFCDelivery
import AFCFiles
import AFCHTTP
import AFCPackageFile
import AFCPackageFormat
import AFCPlatform
import AFCProvisioning
import AFCText
import ArgumentParser

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push",
        abstract: "Put a package into a container registry.",
        discussion: """
            The package is checked first. Bytes that the registry already has aren't sent again, and an interrupted push \
            is resumed. Log in with 'docker login', 'oras login' or 'skopeo login'. \
            share/doc/afcache/reference/registries.md has the rules.

              afcache push docs-2.zip oci://registry.example/docs:2
              afcache load oci://registry.example/docs:2 --cache cache
            """
    )

    @Argument(help: "The package.", completion: .file(extensions: ["zip"]))
    var package: String

    @Argument(help: "Its name in the registry, oci://HOST[:PORT]/NAME[:TAG], or a folder, oci-layout:FOLDER[:TAG].")
    var name: String

    @Option(
        help: ArgumentHelp(
            """
            Sign an attestation with this private key, which says where the package is from: SLSA provenance, which 'cosign' and \
            policy engines verify.
            """,
            valueName: "key"
        ),
        completion: .file()
    )
    var attest: String?

    @OptionGroup(title: "Registry") var servers: DownloadOptions

    @OptionGroup var format: JSONOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        let isSwapped = package.contains(":") && !Path.isZip(package) && Path.isZip(name)
        guard !isSwapped else {
            let artifact = package.hasPrefix("oci") ? package : RegistryReference.prefix + package
            let call = PrintableText.quoted("afcache push \(name) \(artifact)")
            throw ValidationError("the package comes first, and then its name; write \(call)")
        }
        if !name.contains("://"), !name.hasPrefix(RegistryLayout.prefix),
            name.prefix(while: { $0 != "/" }).contains(where: ".:".contains)
        {
            let meant = PrintableText.quoted("oci://" + name)
            throw ValidationError("the name of an artifact begins with 'oci://'; did you mean \(meant)?")
        }
        if name.contains("://"), !name.hasPrefix("oci://"), !name.hasPrefix("s3://") {
            throw ValidationError(
                "\(PrintableText.quoted(name)) is not the name of an artifact in a registry, as in oci://HOST/NAME:TAG; to a plain web "
                    + "server, upload the file by its own means"
            )
        }
    }

    func run() async throws {
        do {
            try await push()
        } catch let error as DeliveryError {
            throw TransferFailure(verb: "push", error: error)
        }
    }

    /// Reads a name in a registry.
    ///
    /// - Throws: ``TransferFailure`` that says how to write it.
    static func reference(_ name: String) throws -> RegistryReference {
        do throws(DeliveryError) {
            return try RegistryReference(name)
        } catch {
            throw TransferFailure(verb: "push", error: error)
        }
    }

    private func push() async throws {
        let name = PackageSource.normalized(name)
        let layout = name.hasPrefix(RegistryLayout.prefix) ? try RegistryLayout(name) : nil
        let reference = layout == nil ? try Self.reference(name) : nil
        var options = PackageDownload.Options.ofProgram(for: name)
        options.servers = try servers.servers(for: [name])
        let path = package
        let key = try attest.map { try KeyFile.signingKey($0, option: "--attest") }
        let described = try await OffPool.run { () throws in
            let reader = try PackageReader(path: path, keepsDigests: true)
            try reader.requireLoadable()
            let info = reader.index.info
            var described = RegistryPush.Package(
                path: path,
                contents: try reader.contentDigest().hexadecimal,
                created: info?.created?.iso8601,
                name: info?.name
            )
            described.attestation = key.map {
                PackageAttestation(seeds: info?.seeds ?? [], generator: info?.generator, key: $0)
            }
            return described
        }
        let shown = reference?.description ?? name
        let pushed: RegistryPush.Pushed
        if let reference {
            defer { Console.endProgress() }
            pushed = try await RegistryPush.push(
                described,
                to: reference,
                logins: try await RegistryLogins.ofUser(for: reference),
                options: options
            ) { done, all in
                Console.progress("\(shown): \(Quantity.bytes(done)) of \(Quantity.bytes(all))")
            }
        } else if let layout {
            pushed = try await OffPool.run { () throws(DeliveryError) in try layout.put(described) }
        } else {
            return
        }
        guard !format.json else {
            return Console.print(
                JSONValue.object(
                    [
                        ("name", .string(shown)), ("manifest", .string(pushed.manifest)),
                        ("digest", .string(described.contents)), ("bytes", .number(String(pushed.size))),
                        ("sentBytes", .number(String(pushed.sent))),
                    ] + (pushed.attestation.map { [("attestation", .string($0))] } ?? [])
                ).serialized
            )
        }
        let sent = pushed.sent == pushed.size ? "" : ", of which \(Quantity.bytes(pushed.sent)) were sent"
        Console.print("pushed \(shown): \(Quantity.bytes(pushed.size))\(sent); \(pushed.manifest)")
        if let attestation = pushed.attestation, let key {
            Console.print("attested by the key \(key.publicKey.id): \(attestation)")
        }
    }
}

/// A failure of a transfer that isn't a download.
struct TransferFailure: Error {
    /// What wasn't done, such as "push".
    let verb: String
    let error: DeliveryError
}
