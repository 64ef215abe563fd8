import AFCCache
import AFCFiles
import AFCImport
import AFCLinter
import AFCPlatform
import AFCText
import AFCURL

/// What to do about a file or folder that a command can't use: one that isn't there, of another kind, or of another user.
struct MistakenFile {
    /// The file as the error names it.
    let subject: String
    /// What is wrong with it.
    let message: String
    /// The command line, without the program's name.
    let arguments: [String]

    /// The name of the command, such as `cache verify`.
    private var command: String {
        let first = arguments.first ?? ""
        let groups = ["cache", "channel", "ca"]
        return groups.contains(first) && arguments.count > 1 ? "\(first) \(arguments[1])" : first
    }

    /// The options whose values are files that a command reads or writes.
    private static let fileOptions: Set<String> = [
        "--access-log", "--add-key", "--add-missing", "--attest", "--baseline", "--behavior", "--cacert", "--config",
        "--cookies", "--credentials", "--events", "--key", "--list", "--match-rules", "--metrics", "--missing",
        "--mount-index", "--netrc", "--package", "--password-file", "--patch", "--recipes", "--remove-key", "--report",
        "--sign", "--tls-cert", "--tls-key", "--trust", "--update-from", "--url-map", "--user-data",
    ]

    /// The option whose value the subject is, or nil.
    var option: String? {
        for (place, argument) in zip(arguments.indices, arguments) {
            if argument == subject, place > 0, Self.fileOptions.contains(arguments[place - 1]) {
                return arguments[place - 1]
            }
            guard argument.hasSuffix("=" + subject) else { continue }
            let name = String(argument.dropLast(subject.count + 1))
            if Self.fileOptions.contains(name) { return name }
        }
        return nil
    }

    /// The end of a sentence, after a semicolon; nil if there is nothing to add.
    var advice: String? {
        let folder = OutputTarget.temporaryFolder
        if message.contains("temporary") || subject == folder || subject.hasPrefix(folder + "/"),
            !Path.isFolder(folder)
        {
            return "TMPDIR is \(PrintableText.quoted(folder)), and there is no such folder: create it, or unset TMPDIR"
        }
        if message.contains(Self.words(ENOSPC)) { return "the disk is full: free some space, or write to another disk" }
        if message.contains(Self.words(EDQUOT)) {
            return "your quota is used up: remove files, or write to another disk"
        }
        if message.contains(Self.words(EACCES)) || message.contains(Self.words(EPERM)) { return permission }
        if message.contains(Self.words(EISDIR)) { return "name a file in it" }
        if message.contains(Self.words(ENOTDIR)) {
            var path = Path.absolute(subject)
            while path != "/", (try? OpenFile.kind(of: path)) == nil { path = Path.folder(of: path) }
            return "\(PrintableText.quoted(path)) is a file: check the path"
        }
        if message.contains(Self.words(EROFS)) { return "write to another folder" }
        if message.contains(Self.words(ENAMETOOLONG)) {
            return "choose a shorter name: most file systems allow 255 bytes"
        }
        if message.contains(Self.words(EFBIG)) {
            return "this process may not write larger files: see 'ulimit -f', or write to another file system"
        }
        if message.hasPrefix("this is not a folder"), CacheFolder.typed == nil {
            return "name a folder" + (subject == CacheFolder.ofVariable ? ", or unset the variable" : "")
        }
        // Some sentences have the system's words in lower case.
        if message.lowercased().contains(Self.words(ENOENT).lowercased()) { return missing }
        return nil
    }

    private static func words(_ number: Int32) -> String { String(cString: strerror(number)) }

    /// True for a folder above the user's own cache, which no option and no variable names.
    private var isOwnCache: Bool {
        guard subject.hasPrefix("/"), (try? CacheFolder.named(CacheFolder.typed)) == .some(nil) else { return false }
        return (try? CacheFolder.required(nil))?.hasPrefix(subject) == true && message.contains("folder")
    }

    // MARK: Missing

    private var missing: String? {
        // A program is looked for elsewhere.
        guard !message.hasPrefix("cannot run") else {
            return subject.contains(" ")
                ? "write the program and its arguments as words of their own, without quotes around all"
                : "check its name, or write its path"
        }
        if subject.contains("://") { return url }
        if isOwnCache { return "name a cache with '--cache DIR', or set \(CacheFolder.variable)" }
        if subject.contains("*") {
            return "if the pattern was in quotes, write it without them; else no file matches it"
        }
        if subject == "-" { return "'-' isn't standard input here: write it to a file, and name that" }
        var target = [CChar](repeating: 0, count: Int(PATH_MAX))
        if case let count = readlink(subject, &target, target.count - 1), count > 0 {
            let shown = PrintableText.quoted(
                String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            )
            return "it is a link to \(shown), which isn't there"
        }
        let parts = subject.split(separator: "/", omittingEmptySubsequences: false)
        let name = parts.last.map(String.init) ?? subject
        let folder = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
        if let end = subject.firstRange(of: ".zip:"), Path.isZip(String(subject[..<end.lowerBound]) + ".zip") {
            let package = PrintableText.escaped(String(subject[..<end.lowerBound]) + ".zip")
            return "name '\(package)' alone: a package's resources have URLs of their own"
        }
        if parts.count > 1, !folder.isEmpty, !Path.isFolder(folder) {
            return "there is no folder \(PrintableText.quoted(folder)): "
                + (message.contains("create") ? "create it first" : "check the path")
        }
        let others = FolderListing.names(in: folder.isEmpty ? "/" : folder) ?? []
        // A suffix that all packages have makes no two short names alike.
        let suffix = name.hasSuffix(".zip") && name.count < 8 ? ".zip" : ""
        let candidates = others.filter { !$0.hasPrefix(".") && $0.hasSuffix(suffix) }.map { $0.dropLast(suffix.count) }
        if name.count >= (suffix.isEmpty ? 3 : 2 + suffix.count),
            let stem = NearestName.nearest(
                to: String(name.dropLast(suffix.count)),
                among: candidates.map(String.init).sorted()
            ),
            case let near = stem + suffix
        {
            let path = parts.count > 1 ? "\(folder)/\(near)" : near
            return "did you mean \(PrintableText.quoted(path))?"
        }
        if option == "--trust" { return "the publisher of what you check has the key: ask for its .pub file" }
        if option == "--baseline" { return "'--baseline \(PrintableText.escaped(subject)) --write-baseline' makes it" }
        let keyOptions = ["--sign", "--attest", "--key", "--add-key"]
        if let option, keyOptions.contains(option) {
            let base = subject.hasSuffix(".pub") ? String(subject.dropLast(4)) : subject
            return "'afcache keygen -o \(PrintableText.escaped(base))' makes a key"
        }
        if let cached { return cached }
        if name.hasSuffix(".zip"), case let packages = others.filter({ $0.hasSuffix(".zip") }).sorted(),
            !packages.isEmpty
        {
            let shown = packages.prefix(3).map { PrintableText.quoted($0) }.joined(separator: ", ")
            return "the folder has \(shown)\(packages.count > 3 ? " and others" : "")"
        }
        if !name.hasSuffix(".zip"), others.contains(name + ".zip") {
            return "did you mean \(PrintableText.quoted(subject + ".zip"))?"
        }
        if command.hasPrefix("channel "), name.hasSuffix(".channel") {
            return "'afcache channel new NAME --key KEY.pub -o \(PrintableText.escaped(subject))' makes a channel"
        }
        if command == "serve" || command == "open", UInt16(subject) != nil {
            return "for a port, write '--port \(subject)'"
        }
        return subject.hasPrefix("/") ? nil : "it is looked for in \(PrintableText.quoted(WorkingFolder.path))"
    }

    /// The clause about a URL where a command reads a file.
    private var url: String {
        let shown = PrintableText.escaped(subject)
        switch command {
        case "export", "try", "open", "serve", "image", "repack", "merge":
            return "this command reads files: make a package with 'afcache pack \(shown) -o site.zip', or download one"
        case "sync": return "'afcache sync' reads a file on this machine, which names URLs of packages"
        case "channel add" where subject.lowercased().hasSuffix(".zip"):
            return "download the package first; '--base' says where devices get it"
        case "channel show", "channel add", "channel sign":
            return "this command reads files: download the channel first"
        case _ where ["ls", "get", "info"].contains(command) && !subject.hasSuffix(".zip"):
            let origin = (try? WebURL(subject))?.origin ?? "https://HOST"
            return
                "this command reads files: 'afcache ls --include \"\(PrintableText.escaped(origin))/*\"' lists what the cache has, "
                + "and 'afcache load' takes the URL of a package"
        case "import": return "this command reads files: download it first"
        default: return "this command reads files: download it first, or load it with 'afcache load'"
        }
    }

    /// The clause about a package in the cache that has the name of a missing file; nil if there is none.
    private var cached: String? {
        guard ["ls", "get", "info", "unpack", "export", "serve", "try", "open", "diff"].contains(command) else {
            return nil
        }
        let name = subject.hasSuffix(".zip") ? String(subject.dropLast(4)) : subject
        guard let folder = try? CacheFolder.required(CacheFolder.typed), Path.isCache(folder),
            let store = try? DiskCache(path: folder, access: .readOnly),
            let packages = try? store.packages(), packages.contains(where: { $0.name == name })
        else { return nil }
        let shown = PrintableText.escaped(folder)
        return "the cache has a package of this name, which 'afcache ls --cache \(shown)' lists"
    }

    // MARK: Other users

    private var permission: String? {
        if message.hasPrefix("cannot run") {
            return Path.isFolder(subject)
                ? "it is a folder; name the program in it"
                : "if it is a program, 'chmod +x \(PrintableText.escaped(subject))' makes it executable"
        }
        if isOwnCache { return "name a cache with '--cache DIR', or set \(CacheFolder.variable)" }
        // The file or folder that exists, from the subject upwards; what is made beside it is made in its folder.
        let isMade = message.contains("to the folder") || message.contains("cannot create")
        var path = isMade ? Path.folder(of: Path.absolute(subject)) : Path.absolute(subject)
        var status = stat()
        while path != "/", stat(path, &status) != 0 { path = Path.folder(of: path) }
        let cache = sequence(first: path) { $0 == "/" ? nil : Path.folder(of: $0) }.first(where: Path.isCache)
        guard status.st_uid != geteuid() else {
            if let cache { return "'chmod -R u+rwX \(PrintableText.escaped(cache))' lets you use the cache" }
            let shown = PrintableText.escaped(path == Path.absolute(subject) ? subject : path)
            guard !Path.isFolder(path) else {
                return isMade ? "'chmod u+w \(shown)' lets you write there" : "'chmod u+rwx \(shown)' lets you use it"
            }
            guard path == Path.absolute(subject) else { return nil }
            if message.contains("write") { return "'chmod u+w \(shown)' lets you write it" }
            return command == "pack" && option == nil
                ? "'chmod u+r' lets you read it, and '--exclude' leaves it out"
                : "'chmod u+r \(shown)' lets you read it"
        }
        let owner = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) } ?? "user \(status.st_uid)"
        let shown = PrintableText.quoted(path)
        return cache != nil
            ? "it belongs to \(owner): use 'sudo\(owner == "root" ? "" : " -u \(owner)")', or a cache of your own with '--cache DIR'"
            : (message.contains("read") || message.hasPrefix("cannot open")) && !Path.isFolder(path)
                ? "\(shown) belongs to \(owner), who must let you read it"
                    + (command == "pack" && option == nil ? ", or leave it out with '--exclude'" : "")
                : "\(shown) belongs to \(owner); choose another place, or change its permissions"
    }

    // MARK: Other kinds

    /// The clause about a file that isn't a zip; nil if its kind isn't known.
    static func kind(of path: String) -> String? {
        guard let file = try? OpenFile(reading: path), let size = try? file.size() else { return nil }
        guard size > 0 else { return "get it, or make it, again" }
        guard let bytes = try? file.beginning(Int(min(size, 512))) else { return nil }
        let shown = PrintableText.escaped(path)
        let packing = "unpack it, and pack the folder with 'afcache pack --folder DIR'"
        if ArchiveImport.isCompressedZip(path) {
            return "it is a zip that was compressed once more: 'gunzip -c \(shown) > NEW.zip' unpacks it"
        }
        let isTar = bytes.count > 262 && Array(bytes[257..<262]) == Array("ustar".utf8)
        if isTar || bytes.starts(with: [0x1F, 0x8B]) || bytes.starts(with: [0xFD, 0x37, 0x7A])
            || bytes.starts(with: [0x42, 0x5A, 0x68])
        {
            return "it is a tar archive or another compressed file: \(packing)"
        }
        if bytes.starts(with: [0x37, 0x7A, 0xBC, 0xAF]) || bytes.starts(with: Array("Rar!".utf8)) {
            return "it is an archive of another kind: \(packing)"
        }
        if bytes.starts(with: Array("%PDF".utf8)) { return "it is a PDF file" }
        if bytes.starts(with: Array("-----BEGIN".utf8)) { return "it is a key or a certificate" }
        let text = String(decoding: bytes, as: UTF8.self).lowercased().drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if text.hasPrefix("<") {
            return
                "it is a page or another XML file: if a package was downloaded, the server sent this page in its place; to pack a site, use "
                + "'afcache pack'"
        }
        if text.hasPrefix("sites:") || text.contains("\nsites:") {
            return "it is a list of sites: 'afcache batch \(shown) --root FOLDER'"
        }
        if text.hasPrefix("version:") { return "it is a sync file: 'afcache sync \(shown)'" }
        return nil
    }
}
