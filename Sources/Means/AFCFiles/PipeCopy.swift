import AFCPlatform

extension OpenFile {
    /// Returns true if a path leads to something that can only be read from its beginning to its end: a pipe, or standard
    /// input as one.
    package static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// Creates a file without a name that has all bytes of a pipe.
    ///
    /// - Parameters:
    ///   - path: The path of the pipe; nil for standard input.
    ///   - folder: The folder for the file.
    ///   - limit: The most bytes.
    ///   - shouldEnd: Returns true to end early, after each piece.
    /// - Returns: The file.
    /// - Throws: ``FileError`` if the pipe can't be read or has more bytes, or the folder has no room.
    package static func copy(
        ofPipe path: String?,
        in folder: String,
        upTo limit: Int64 = .max,
        until shouldEnd: () -> Bool
    ) throws(FileError) -> OpenFile {
        let name = path ?? "standard input"
        guard let source = path.map({ Descriptor.open($0, O_RDONLY) }) ?? STDIN_FILENO else {
            throw .system("cannot open", name)
        }
        defer { if path != nil { close(source) } }
        let copy = try OpenFile(temporaryIn: folder)
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        var offset: Int64 = 0
        while !shouldEnd() {
            guard let count = piece.withUnsafeMutableBytes({ Descriptor.readNext(source, into: $0) }) else {
                if path == nil, errno == EBADF { throw FileError(name, "it is closed") }
                throw .system("cannot read", name)
            }
            guard count > 0 else { break }
            guard offset + Int64(count) <= limit else { throw FileError(name, "it has more than \(limit) bytes") }
            try piece.span.bytes.withUnsafeBytes { bytes throws(FileError) in
                try copy.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
            }
            offset += Int64(count)
        }
        return copy
    }
}

extension OpenFile {
    /// Returns true if a folder is at a path.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - isFollowing: True if a link to a folder counts as one.
    /// - Returns: True for a folder.
    package static func isFolder(_ path: String, followingLinks isFollowing: Bool = true) -> Bool {
        var status = stat()
        let result = isFollowing ? stat(path, &status) : lstat(path, &status)
        return result == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
