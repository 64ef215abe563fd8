import AFCChannel
import AFCCredentials
import AFCHTTP
import AFCText
import AFCURL

/// Reads any bytes as a channel, as what a device remembers of one, and as a netrc file: nothing traps, and nothing is
/// accepted without a signature.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzChannel(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    checkFile(bytes)
    // An input needn't find the first line by itself.
    checkFile(Array("afcache-channel-1\n".utf8) + bytes)
    checkMemory(bytes)
    checkNetrc(bytes)
    return 0
}

private func checkFile(_ bytes: [UInt8]) {
    let file: ChannelFile
    do throws(ChannelError) {
        file = try ChannelFile(bytes, subject: "docs.channel")
    } catch {
        check(error)
        return
    }
    let again = try? ChannelFile(file.bytes, subject: "docs.channel")
    precondition(again == file, "a channel doesn't survive being written")
    let own = try? ChannelFile(ChannelFile(file.channel).bytes, subject: "docs.channel")
    precondition(own?.channel == file.channel, "a description doesn't survive being written")
    for package in file.channel.packages {
        for release in package.releases { _ = release.isFor("device") }
    }
    var signers = 0
    do throws(ChannelError) {
        signers = try file.signers(subject: "docs.channel").count
    } catch {
        check(error)
    }
    let trust = ChannelTrust(name: file.channel.name, keys: file.channel.keys, threshold: 1)
    let now = Timestamp(secondsSinceEpoch: 1_800_000_000)
    do throws(ChannelError) {
        _ = try ChannelMemory(accepting: file, subject: "docs.channel", after: nil, trust: trust, now: now)
        precondition(signers > 0, "a channel without a valid signature is accepted")
    } catch {
        check(error)
    }
}

private func checkMemory(_ bytes: [UInt8]) {
    guard let memory = ChannelMemory(text: bytes) else { return }
    precondition(ChannelMemory(text: memory.text) == memory, "what is remembered doesn't survive being written")
}

private func checkNetrc(_ bytes: [UInt8]) {
    guard let named = try? WebURL("http://docs.example:8080/") else { return }
    guard let credentials = try? Netrc(bytes).credentials(for: [named]) else { return }
    precondition(Set(credentials.map(\.origin)).count == credentials.count, "an origin has two logins")
    for credential in credentials {
        precondition(
            credential.origin.hasPrefix("https://") || credential.origin == named.origin,
            "a login is for an origin that nobody named"
        )
    }
}

/// What is told is fit for a terminal.
private func check(_ error: ChannelError) {
    precondition(!error.message.isEmpty)
    for scalar in error.message.unicodeScalars {
        precondition(scalar.value >= 0x20 && scalar.value != 0x7F, "a control character in '\(error.message)'")
    }
}
