import AFCCache
import AFCFiles
import AFCText
import ArgumentParser

struct MountIndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mount-index",
        abstract: "Write the mount index of a package, which can be shipped with it.",
        discussion: """
            A program or an image that contains a large package can contain its mount index, too. The package is then \
            served at once from the first start on, without reading all of it.

              afcache mount-index site.zip -o site.index
              afcache serve site.zip --mount-index site.index
            """
    )

    @Argument(help: "The package.", completion: .file(extensions: ["zip"]))
    var package: String

    @OptionGroup var result: NewFileOptions

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws { try NewFileOptions.requireNoTerminal(result.output, "an index", "site.index") }

    func run() async throws {
        let target = try result.target(
            of: [package],
            refusal: "the index can't replace the package"
        )
        let (package, output) = (package, result.output)
        try await OffPool.run { () throws(CacheError) in
            try MountedPackages.writeIndex(of: package, to: output, now: Clock.now)
        }
        guard !target.isStream else { return }
        Console.print("wrote \(PrintableText.quoted(output))")
    }
}
