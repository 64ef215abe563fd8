import AFCCache
import AFCChannel
import AFCPackageFormat
import AFCText
import ArgumentParser

/// A channel's file that a command changes.
struct ChannelDocument: ParsableArguments {
    @Argument(help: "The channel's file.", completion: .file(extensions: ["channel"]))
    var file: String

    /// Returns the file.
    ///
    /// - Throws: ``ChannelError`` if it is not a channel.
    func read() throws -> ChannelFile {
        try ChannelFile(try SmallFile.read(file, limit: ChannelFile.byteLimit), subject: file)
    }

    /// Writes a changed channel without signatures, and says so.
    func write(_ channel: Channel) throws {
        let new = ChannelFile(channel)
        try write(new)
        Console.note("sign it before you publish it: afcache channel sign \(PrintableText.quoted(file)) --sign KEY")
    }

    /// Replaces the file as a whole.
    ///
    /// - Throws: ``ChannelError`` if devices couldn't read it.
    func write(_ new: ChannelFile) throws {
        let bytes = new.bytes
        do throws(ChannelError) {
            _ = try ChannelFile(bytes, subject: file)
        } catch {
            throw ChannelError(.unsuitable, subject: file, message: "devices would refuse the change: \(error.message)")
        }
        try WholeFile.write(bytes, to: file)
    }

    /// Returns the place of a package in a channel.
    func place(of name: String, in channel: Channel) throws -> Int {
        guard let place = channel.packages.firstIndex(where: { $0.name == name }) else {
            let names = channel.packages.prefix(8).map { PrintableText.quoted($0.name) }.joined(separator: ", ")
            throw ValidationError(
                "the channel doesn't list \(PrintableText.quoted(name)); it lists \(names.isEmpty ? "nothing" : names)"
            )
        }
        return place
    }
}

extension Rollout {
    /// A percentage in an argument.
    ///
    /// - Throws: A usage error that says how to write one.
    static func argument(_ text: String) throws -> Rollout {
        guard let rollout = Rollout(percent: text) else {
            throw ValidationError(
                "\(PrintableText.quoted(text)) is not a percentage; write a number from 0 to 100 with up to two decimals"
            )
        }
        return rollout
    }
}
