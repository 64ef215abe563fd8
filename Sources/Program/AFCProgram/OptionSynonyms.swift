/// The options that people try because other programs, or other commands, have them.
enum OptionSynonyms {
    /// Returns what to type instead of an option that a command doesn't have.
    ///
    /// - Parameters:
    ///   - option: The option as typed, with its dashes.
    ///   - call: The command, such as `afcache pack`.
    ///   - known: The names of the command's options.
    /// - Returns: The end of a sentence, or nil.
    static func advice(for option: String, of call: String, having known: Set<String>) -> String? {
        let command = call.split(separator: " ").dropFirst().joined(separator: " ")
        if let advice = ofCommands["\(command) \(option)"] { return advice }
        if option == "--cache" { return cache(command) }
        // A letter means the same everywhere, if the command has the option.
        for (options, meant) in meanings where options.contains(option) && known.contains(meant) {
            return "did you mean '\(meant)'?"
        }
        switch option {
        case "--user", "--password", "--http-user", "--http-password", "--login", "--basic", "--passphrase":
            if known.contains("--credentials") {
                return "for a login, set AFCACHE_BASIC to 'user:password', or use '--credentials'"
            }
            return known.contains("--password-file")
                ? "a password is never an argument; use '--password-file FILE' or set AFCACHE_PASSWORD" : nil
        case "-c" where call == "afcache serve", "--config" where call == "afcache serve":
            return "'\(call)' has no configuration file; all options are on the command line"
        case "--output", "-o", "--depth":
            return call == "afcache load" ? "'\(call)' takes packages into a cache; 'afcache pack' makes them" : nil
        case "--recursive", "--mirror", "-r", "-l", "-m", "--level", "-np", "-E", "--page-requisites":
            return known.contains("--depth") ? "links are followed without it; '--depth' limits how far" : nil
        case "--key":
            return known.contains("--sign") ? "did you mean '--sign'?" : nil
        case "--sign" where known.contains("--trust"):
            return "signatures are made by 'pack', 'repack' and 'merge', and checked with '--trust'"
        case "--user-agent", "-A":
            return known.contains("--header") ? "use '--header', as in --header 'User-Agent: NAME'" : nil
        case "--package", "--file":
            let readers: Set<String> = [
                "export", "image", "info", "lint", "load", "ls", "open", "push", "repack", "try", "unpack",
            ]
            return readers.contains(command) ? "name the package without an option: '\(call) FILE'" : nil
        case "--folder" where command != "pack":
            return "'afcache pack --folder DIR -o NAME.zip' makes a package of a folder, 'afcache open DIR' shows one"
        case "--span-hosts", "--domains", "--follow-tags":
            return known.contains("--scope") ? "'--scope' says which hosts and paths are followed" : nil
        case "--tries", "--retry":
            return known.contains("--retries") ? "did you mean '--retries'?" : nil
        case "--continue", "--resume", "-c", "-nc", "--no-clobber":
            return known.contains("--restart")
                ? "a crawl that was stopped is resumed by the same command; '--update' fetches what has changed" : nil
        case "-V": return "did you mean '--version'?"
        default: return nil
        }
    }

    /// Options that have another name here; the first that the command has counts.
    private static let meanings: [(options: Set<String>, meant: String)] = [
        (["--host", "--bind", "--address"], "--listen"),
        (
            ["--directory", "--dir", "--output-dir", "--out", "--output-document", "--dest", "-O", "-d", "-P", "-t"],
            "--output"
        ),
        (["--force", "--yes", "-f", "-y"], "--overwrite"),
        (["--no-check-certificate", "--skip-tls-verify", "--no-verify", "-k"], "--insecure"),
        (["-H"], "--header"), (["-b", "--cookie", "--load-cookies"], "--cookies"),
        (["--sha1", "--sha", "--checksum", "--md5"], "--sha256"), (["-x"], "--proxy"),
        (["-w", "--wait", "--sleep", "--interval", "--rate"], "--delay"), (["--reject", "-X"], "--exclude"),
        (["--accept", "--filter", "--only", "--match", "-I"], "--include"), (["-u"], "--update"), (["-i"], "--list"),
        (["--verify-signature", "--signature", "--pubkey"], "--trust"), (["-U", "-A", "--agent"], "--user-agent"),
        (["--to", "--outfile", "--file"], "--output"),
    ]

    /// What to type instead of an option of one command.
    private static let ofCommands: [String: String] = [
        "load --force":
            "a package of the same name is replaced without it; '--allow-older' also takes an older signed one",
        "load --overwrite": "a package of the same name is replaced without it",
        "load --depth": "'afcache load' takes packages into a cache; 'afcache pack' makes them",
        "pack --robots": "did you mean '--ignore-robots'?", "pack --no-robots": "did you mean '--ignore-robots'?",
        "pack -e": "'--ignore-robots' ignores robots.txt",
        "image -t": "write '-o oci-layout:FOLDER:TAG', or '--push NAME:TAG'",
        "image --tag": "write '-o oci-layout:FOLDER:TAG', or '--push NAME:TAG'",
        "serve --root": "name the packages to serve, or use 'afcache open FOLDER' for a folder",
        "serve --dir": "name the packages to serve, or use 'afcache open FOLDER' for a folder",
        "serve --directory": "name the packages to serve, or use 'afcache open FOLDER' for a folder",
        "serve --package": "name the package without an option: 'afcache serve FILE'",
        "serve -d": "it runs until Control-C; a service manager runs it in the background",
        "serve --daemon": "it runs until Control-C; a service manager runs it in the background",
        "serve --background": "it runs until Control-C; a service manager runs it in the background",
        "batch -o": "'--root' names the folder of the results",
        "batch --output": "'--root' names the folder of the results",
        "pack -d": "did you mean '--depth'?",
        "pack --no-parent": "'--include URL/*' keeps to a folder", "pack -np": "'--include URL/*' keeps to a folder",
        "serve --cors": "packages keep the fields of their origins, so there is no option for it",
        "serve --https":
            "'--tls-ca DIR' serves with certificates of 'afcache ca', '--tls-cert' and '--tls-key' with others",
        "serve --tls":
            "'--tls-ca DIR' serves with certificates of 'afcache ca', '--tls-cert' and '--tls-key' with others",
        "lint --strict": "use '--preset strict', or '--fail-on warning'",
        "lint --cache": "'afcache cache verify' checks a cache",
        "cache limit --size": "did you mean '--bytes'?", "cache limit --max-bytes": "did you mean '--bytes'?",
        "cache limit --count": "did you mean '--entries'?",
        "cache clear --all": "'--received' removes received responses; 'afcache cache remove NAME' removes a package",
        "cache clear --packages": "'afcache cache remove NAME' removes a package",
        "cache verify --fix": "use 'afcache cache repair'", "cache verify --repair": "use 'afcache cache repair'",
        "cache remove --all":
            "name each package, as 'afcache cache ls' lists it; 'afcache cache clear --received' removes received responses",
        "cache gc --all": "'--previous' also removes previous versions; 'afcache cache remove NAME' removes a package",
        "keygen --passphrase": "keys have no password; keep the file readable only by you",
        "keygen --password": "keys have no password; keep the file readable only by you",
        "keygen --name": "use '--comment' for words to recognize the key by, and '-o' for its file",
        "ca export -o": "it writes to standard output: 'afcache ca export > FILE'",
        "ca export --output": "it writes to standard output: 'afcache ca export > FILE'",
        "info --cache": "use 'afcache cache info --cache DIR'",
        "cache info --package": "use 'afcache info FILE'",
        "export --password": "use '--password-file', or set AFCACHE_PASSWORD",
        "channel sign --key": "did you mean '--sign'?", "channel add --key": "did you mean '--sign'?",
        "ls -l": "each line has size and type already; '--json' prints more",
        "ls --long": "each line has size and type already; '--json' prints more",
    ]

    private static func cache(_ command: String) -> String? {
        switch command {
        case "pack", "record":
            return "'afcache \(command)' writes a file, which 'afcache load FILE' takes into a cache"
        case "export", "try", "unpack", "diff", "repack", "merge", "patch", "push", "image", "mount-index", "open",
            "replay":
            return "'afcache \(command)' takes packages, not a cache; name the file of a package"
        default: return nil
        }
    }
}
