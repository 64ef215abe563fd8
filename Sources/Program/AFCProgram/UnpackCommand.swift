import AFCCache
import AFCCaching
import AFCFiles
import AFCPackageFile
internal import AFCPackageFormat
import AFCText
import ArgumentParser

struct UnpackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpack",
        abstract: "Write the bodies in a package to a new folder.",
        discussion: """
            Each body becomes a file HOST/PATH, named as in the package; redirects have no body. The package is checked as \
            by 'load'. The folder must be empty or not exist yet, and it appears only once it is complete. \
            With '--json', each line is an object with url, file and size.

              afcache unpack docs.zip -o docs
              afcache unpack docs.zip -o docs --include '*/guide/*' --json
            """
    )

    @Argument(help: "The package to unpack.", completion: .file(extensions: ["zip"]))
    var package: String

    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp("The folder to write. (default: the package's name without suffix)", valueName: "dir"),
        completion: .directory
    )
    var output: String?

    @OptionGroup(title: "Selection") var filter: ListFilter

    @OptionGroup(title: "Trust") var trust: TrustOptions

    @OptionGroup var format: JSONLinesOption

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard output != "" else { throw ValidationError("'--output' is empty; name a folder") }
    }

    func run() async throws {
        let name = package.split(separator: "/").last.map(String.init) ?? package
        let dot = name.lastIndex(of: ".").flatMap { $0 == name.startIndex ? nil : $0 } ?? name.endIndex
        guard let folder = output ?? (dot < name.endIndex ? String(name[..<dot]) : nil) else {
            throw ValidationError("the package's name has no suffix to remove; name a folder with '--output'")
        }
        let policy = try trust.policy()
        let filter = try filter.compiled()
        let (checksSignature, package, now) = (trust.isUsed, package, Clock.now)
        let files = try await trust.unlocking(package) { password in
            let reader = try PackageReader(path: package, password: password)
            try reader.requireLoadable()
            let resources = reader.index.resources.filter {
                $0.member != nil && filter.admits(ListedResource($0, in: reader), at: now)
            }
            guard !resources.isEmpty || !self.filter.isUsed else {
                throw self.filter.nothing(in: PrintableText.quoted(package))
            }
            return try await StopSignals.cancelling {
                if checksSignature {
                    _ = try await OffPool.run { () throws(PackageError) in try reader.verifySignature(policy: policy) }
                }
                return try UnpackedFolder(folder).write(resources, of: reader)
            }
        }
        guard !format.json else {
            for file in files { Console.print(file.json.serialized) }
            return
        }
        for file in files { Console.detail(PrintableText.quoted(file.path)) }
        let bytes = files.reduce(0) { $0 + $1.size }
        Console.print(
            "unpacked \(PrintableText.quoted(package)): \(Quantity.count(files.count, "body")), \(Quantity.bytes(bytes)) in "
                + PrintableText.quoted(folder)
        )
    }
}
