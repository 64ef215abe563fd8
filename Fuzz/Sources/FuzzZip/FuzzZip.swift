import AFCFiles
import AFCPlatform
import AFCZip

/// Opens any bytes as an archive, and the archive that the same bytes choose.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzZip(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    tryArchive(bytes)
    var chosen = ChosenArchive(bytes)
    if count < 4096 { chosen.bytes().withUnsafeBytes(tryArchive) }
    return 0
}

/// Opens an archive and reads all bodies: whatever happens must be an error, within limits, or the truth.
private func tryArchive(_ bytes: UnsafeRawBufferPointer) {
    let path = "/dev/shm/afcache-fuzz-\(getpid()).zip"
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    precondition(descriptor >= 0, "cannot make '\(path)'")
    let written = bytes.isEmpty ? 0 : write(descriptor, bytes.baseAddress, bytes.count)
    close(descriptor)
    precondition(written == bytes.count, "cannot write '\(path)'")
    defer { unlink(path) }

    var limits = ReadLimits()
    limits.members = 1000
    limits.directoryBytes = 1 << 20
    limits.memberBytes = 1 << 20
    limits.totalBytes = 4 << 20
    do throws(ZipError) {
        tryEnds(path, bytes, limits: limits)
        let reader = try ZipReader(path: path, limits: limits)
        check(reader, limits: limits, fileSize: Int64(bytes.count))
        compareWithLibzip(reader, bytes)
    } catch {
        check(error)
        // An encrypted archive opens with any password, and then each body is refused, damaged or what it should be.
        guard error.code == .locked, let password = Password(Array("fuzz".utf8)) else { return }
        do throws(ZipError) {
            let reader = try ZipReader(path: path, limits: limits, password: password)
            check(reader, limits: limits, fileSize: Int64(bytes.count))
        } catch {
            check(error)
        }
    }
}

/// Reads the last entries of the directory as if the others weren't there, and makes entries that stand for those: the
/// archive then lists the same members, or there is an error.
private func tryEnds(_ path: String, _ bytes: UnsafeRawBufferPointer, limits: ReadLimits) {
    do throws(FileError) {
        let file = try OpenFile(reading: path)
        let whole = try? ArchiveOutline(file, limits: limits, folder: "/dev/shm")
        for share in 1..<8 {
            let known = Int64(bytes.count) * Int64(share) / 8
            guard let outline = try? ArchiveOutline(file, from: known, limits: limits, folder: "/dev/shm") else {
                continue
            }
            precondition(outline.precedingRecords.upperBound <= outline.directory.lowerBound)
            precondition(outline.precedingEntries.upperBound <= Int64(bytes.count))
            guard let whole, whole.count == outline.precedingCount + outline.count else { continue }
            let others = (0..<outline.precedingCount).map { (name: whole.name($0), size: Int64(share) * 100) }
            var made = Array(bytes)
            let isMade = outline.makeStandIns(for: others, limits: limits) { entries, offset in
                made.replaceSubrange(Int(offset)..<(Int(offset) + entries.count), with: entries)
            }
            precondition(made.count == bytes.count, "entries that stand for others have another size")
            if isMade { tryStandIns(made, others, path + ".made", limits: limits) }
        }
    } catch {
        // The file was just written.
        preconditionFailure("cannot read '\(path)': \(error)")
    }
}

private func tryStandIns(
    _ bytes: [UInt8],
    _ others: [(name: String, size: Int64)],
    _ path: String,
    limits: ReadLimits
) {
    func put(_ bytes: [UInt8]) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0 && write(descriptor, bytes, bytes.count) == bytes.count, "cannot write '\(path)'")
        close(descriptor)
    }
    put(bytes)
    defer { unlink(path) }
    guard let file = try? OpenFile(reading: path),
        let outline = try? ArchiveOutline(file, limits: limits, folder: "/dev/shm")
    else { return }
    var bytes = bytes
    for member in 0..<outline.count {
        let (header, place) = (outline.header(member), Int(outline.record(member).lowerBound))
        bytes.replaceSubrange(place..<(place + header.count), with: header)
    }
    put(bytes)
    // Names that no archive may have are refused.
    guard let reader = try? ZipReader(path: path, limits: limits) else { return }
    for (member, other) in zip(reader.members, others) {
        precondition(member.name == other.name && member.uncompressedSize == other.size, "another member is listed")
    }
}

private func check(_ reader: ZipReader, limits: ReadLimits, fileSize: Int64) {
    precondition(reader.members.count <= limits.members)
    var places: [(start: Int64, end: Int64)] = []
    for member in reader.members {
        precondition(reader.member(named: member.name) == member, "a member isn't found by its name")
        precondition(!member.name.isEmpty && !member.name.utf8.contains(0))
        let parts = member.name.split(separator: "/", omittingEmptySubsequences: false)
        precondition(!parts.contains("..") && !parts.contains(".") && !member.name.utf8.starts(with: "/".utf8))
        precondition(member.uncompressedSize >= 0 && member.uncompressedSize <= limits.memberBytes)
        places.append((member.dataOffset, member.dataOffset + member.compressedSize))
        var size: Int64 = 0
        var crc = CRC32()
        do throws(ZipError) {
            try reader.forEachChunk(of: member) { chunk throws(ZipError) in
                size += Int64(chunk.count)
                crc.update(chunk)
                precondition(size <= member.uncompressedSize, "more came than the member declares")
            }
            precondition(size == member.uncompressedSize && crc.value == member.crc32)
        } catch {
            check(error)
        }
    }
    places.sort { $0 < $1 }
    var end: Int64 = 0
    for place in places {
        precondition(place.start >= end + 30, "data overlaps")
        end = place.end
    }
    precondition(end + 22 <= fileSize)
}

/// Checks that an error is of a kind that archives may cause, and that a terminal may show it.
private func check(_ error: ZipError) {
    let codes: [ZipError.Code] = [.refused, .damagedMember, .locked]
    precondition(codes.contains(error.code), "an error of another kind: \(error)")
    precondition(error.rule.hasPrefix("zip."))
    precondition(error.message.unicodeScalars.count < 2000)
    for scalar in error.message.unicodeScalars {
        precondition(scalar.properties.generalCategory != .control, "a control character in a message")
    }
}
