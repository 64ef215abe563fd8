extension URLParser {
    mutating func afterScheme() throws(WebURL.ParseError) {
        let slash = UInt8(ascii: "/")
        if offsets.kind == .file {
            try file()
        } else if isSpecial {
            let hasTwoSlashes = input[position...].starts(with: [slash, slash])
            if !hasTwoSlashes, let base, base.offsets.kind == offsets.kind {
                try relative(to: base)
            } else {
                skipSlashes()
                try authority()
            }
        } else if byte == slash {
            position += 1
            if byte == slash {
                position += 1
                try authority()
            } else {
                path()
            }
        } else {
            opaquePath()
        }
    }

    mutating func withoutScheme() throws(WebURL.ParseError) {
        guard let base else { throw .relativeWithoutBase }
        if base.hasOpaquePath {
            guard byte == UInt8(ascii: "#") else { throw .baseHasOpaquePath }
            takeOver(base, upTo: Int(base.offsets.pathEnd))
            tail(queryOf: base)
            return
        }
        takeOver(base, upTo: base.offsets.schemeEnd + 1)
        offsets = Offsets(kind: base.offsets.kind, schemeEnd: base.offsets.schemeEnd)
        if offsets.kind == .file { try file() } else { try relative(to: base) }
    }

    private mutating func relative(to base: WebURL) throws(WebURL.ParseError) {
        if isAtSlash {
            position += 1
            if isAtSlash {
                if isSpecial { skipSlashes() } else { position += 1 }
                try authority()
            } else {
                takeOverAuthority(of: base)
                path()
            }
            return
        }
        takeOverAuthority(of: base)
        append(base, from: Int(base.offsets.pathStart), to: Int(base.offsets.pathEnd))
        if isAtTail {
            tail(queryOf: base)
        } else {
            shortenPath()
            path()
        }
    }

    private mutating func skipSlashes() {
        while byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") { position += 1 }
    }

    private mutating func takeOverAuthority(of base: WebURL) {
        takeOver(base, upTo: base.offsets.authorityEnd)
        offsets.pathStart = UInt32(truncatingIfNeeded: output.count)
    }

    // MARK: file:

    private mutating func file() throws(WebURL.ParseError) {
        let base = self.base.flatMap { $0.offsets.kind == .file ? $0 : nil }
        if isAtSlash {
            position += 1
            if isAtSlash {
                position += 1
                try fileHost()
                return
            }
            takeOverFileHost(of: base)
            if let base, !DriveLetter.begins(input[position...]) {
                let path = Array(base.path.utf8)
                if DriveLetter.beginsPath(path) { output.append(contentsOf: path[..<3]) }
            }
            path()
            return
        }
        takeOverFileHost(of: base)
        guard let base else {
            path()
            return
        }
        if isAtTail {
            append(base, from: Int(base.offsets.pathStart), to: Int(base.offsets.pathEnd))
            tail(queryOf: base)
        } else {
            if !DriveLetter.begins(input[position...]) {
                append(base, from: Int(base.offsets.pathStart), to: Int(base.offsets.pathEnd))
                shortenPath()
            }
            path()
        }
    }

    private mutating func takeOverFileHost(of base: WebURL?) {
        guard let base else {
            beginAuthority()
            endAuthority(hostStart: output.count, hostEnd: output.count)
            return
        }
        takeOverAuthority(of: base)
    }

    private mutating func fileHost() throws(WebURL.ParseError) {
        let end = input[position...].firstIndex(where: DriveLetter.isEnd) ?? input.count
        let text = input[position..<end]
        beginAuthority()
        let start = output.count
        if DriveLetter.isOne(text) {
            endAuthority(hostStart: start, hostEnd: start)
            path()
            return
        }
        if !text.isEmpty {
            try HostParser.append(text, isSpecial: true, to: &output)
            if output[start...].elementsEqual("localhost".utf8) { output.removeSubrange(start...) }
        }
        position = end
        endAuthority(hostStart: start, hostEnd: output.count)
        pathStart()
    }
}

/// Windows drive letters in file URLs; see https://url.spec.whatwg.org/#windows-drive-letter.
enum DriveLetter {
    /// Whether the text is a letter and `:` or `|`.
    static func isOne(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 2, let first = text.first, isLetter(first) else { return false }
        return text.last == UInt8(ascii: ":") || text.last == UInt8(ascii: "|")
    }

    /// Whether the text's first segment is one.
    static func begins(_ text: ArraySlice<UInt8>) -> Bool {
        guard isOne(text.prefix(2)) else { return false }
        return text.dropFirst(2).first.map(isEnd) ?? true
    }

    /// Whether a serialised path's first segment is one in its normal form, with a colon.
    static func beginsPath(_ path: some RandomAccessCollection<UInt8>) -> Bool {
        let head = Array(path.prefix(4))
        return head.count >= 3 && isOne(head[1...2]) && head[2] == UInt8(ascii: ":")
            && (head.count == 3 || head[3] == UInt8(ascii: "/"))
    }

    /// Whether the byte ends a host or segment of a file URL.
    static func isEnd(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "?"), UInt8(ascii: "#"): true
        default: false
        }
    }
}
