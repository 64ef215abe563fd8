import AFCChannel
import AFCFiles
import AFCPackageFormat
import AFCText
import ArgumentParser

struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Publish which packages a fleet of devices should have.",
        discussion: """
            A channel is one small signed file on any web server. 'afcache sync' on the devices follows it. \
            share/doc/afcache/reference/channels.md describes it.

              afcache channel new docs --key team.pub -o docs.channel
              afcache channel add docs.channel docs-1.zip --name docs
              afcache channel sign docs.channel --sign team
            """,
        subcommands: [
            ChannelNewCommand.self, ChannelAddCommand.self, ChannelRemoveCommand.self, ChannelRolloutCommand.self,
            ChannelSignCommand.self, ChannelShowCommand.self,
        ]
    )
}

struct ChannelNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new",
        abstract: "Make a channel without packages.",
        discussion: "  afcache channel new docs --key team.pub -o docs.channel"
    )

    @Argument(help: "The name of the channel: lower-case letters, digits, '.', '_' and '-'.")
    var name: String

    @OptionGroup var result: NewFileOptions

    @Option(
        help: ArgumentHelp("A public key that may sign the channel. Repeatable.", valueName: "file"),
        completion: .file()
    )
    var key: [String] = []

    @Option(help: "How many of the keys must sign.")
    var threshold = 1

    @OptionGroup(title: "Server") var servers: DownloadOptions

    @OptionGroup var verbosity: VerbosityOptions

    func validate() throws {
        guard Channel.isName(name) else {
            throw ValidationError(
                "\(PrintableText.quoted(name)) can't be the name of a channel; use lower-case letters, digits, '.', '_' and '-'"
            )
        }
        guard !key.isEmpty else { throw ValidationError("a channel needs a key that signs it; name it with '--key'") }
    }

    func run() async throws {
        let keys = try key.flatMap { try KeyFile.publicKeys($0, option: "--key") }
        guard (1...keys.count).contains(threshold) else {
            throw ValidationError("'--threshold' must be a number from 1 to the number of keys, \(keys.count)")
        }
        let new = ChannelFile(Channel(name: name, keys: keys, threshold: threshold))
        var document = ChannelDocument()
        document.file = result.output
        document.servers = servers
        var isStream = false
        if document.isRemote {
            try await document.create(new, replacing: result.overwrite)
        } else {
            isStream = try result.target(of: key, refusal: "a channel can't replace a key").isStream
            try document.write(new)
        }
        // Nothing may follow the channel in a pipe.
        let print = isStream ? Console.complain : Console.print
        print("wrote \(Path.shown(result.output)): \(Quantity.count(keys.count, "key")), no packages")
    }
}

struct ChannelRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a package from a channel.",
        discussion: """
            Devices whose sync file has 'remove-others: true' remove the package; others keep it.

              afcache channel remove docs.channel docs
            """
    )

    @OptionGroup var document: ChannelDocument

    @Argument(help: "The name of the package.")
    var name: String

    @OptionGroup var change: ChannelChangeOptions

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        try await document.change(waiting, change) { channel in
            _ = channel.packages.remove(at: try document.place(of: name, in: channel))
        }
        Console.print("removed \(PrintableText.quoted(name))")
    }
}

struct ChannelRolloutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rollout",
        abstract: "Change the share of devices that the newest release of a package is for.",
        discussion: """
            At 100, the release before is dropped. At 0, the newest one is taken back from all devices, as long as the \
            channel still lists the release before.

              afcache channel rollout docs.channel docs 25
            """
    )

    @OptionGroup var document: ChannelDocument

    @Argument(help: "The name of the package.")
    var name: String

    @Argument(help: "The percentage, from 0 to 100.", transform: Rollout.argument)
    var percent: Rollout

    @OptionGroup var change: ChannelChangeOptions

    @OptionGroup var waiting: WaitOptions

    @OptionGroup var verbosity: VerbosityOptions

    func run() async throws {
        var isOnly = false
        try await document.change(waiting, change) { channel in
            let place = try document.place(of: name, in: channel)
            channel.packages[place].releases[0].rollout = percent
            isOnly = channel.packages[place].releases.count == 1
            if percent == .all {
                channel.packages[place].releases.removeLast(channel.packages[place].releases.count - 1)
            }
        }
        if isOnly, percent != .all {
            Console.complain(
                "warning: \(PrintableText.quoted(name)) has no earlier release in this channel, so devices beyond "
                    + "\(percent) % get no such package"
            )
        }
        Console.print("the newest release of \(PrintableText.quoted(name)) is for \(percent) % of the devices")
    }
}
