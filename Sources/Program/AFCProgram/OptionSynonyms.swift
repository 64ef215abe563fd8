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
        switch option {
        case "--user", "--password", "--http-user", "--http-password", "--login", "--basic":
            guard known.contains("--credentials") else { return nil }
            return "for a login, set AFCACHE_BASIC to 'user:password', or use '--credentials'"
        case "--cache" where call == "afcache pack" || call == "afcache record":
            return "'\(call)' writes a file, which 'afcache load FILE' takes into a cache"
        case "--output", "-o", "--depth":
            return call == "afcache load" ? "'\(call)' takes packages into a cache; 'afcache pack' makes them" : nil
        case "--host", "--bind", "--address":
            return known.contains("--listen") ? "did you mean '--listen'?" : nil
        case "--recursive", "--mirror":
            return known.contains("--depth") ? "links are followed without it; '--depth' limits how far" : nil
        case "--directory", "--dir", "--output-dir", "--out", "--output-document":
            return known.contains("--output") ? "did you mean '--output'?" : nil
        case "--force", "--yes":
            return known.contains("--overwrite") ? "did you mean '--overwrite'?" : nil
        case "--key":
            return known.contains("--sign") ? "did you mean '--sign'?" : nil
        case "--sign" where known.contains("--trust"):
            return "signatures are made by 'pack', 'repack' and 'merge', and checked with '--trust'"
        case "--no-check-certificate", "--skip-tls-verify":
            return known.contains("--insecure") ? "did you mean '--insecure'?" : nil
        case "--user-agent":
            return known.contains("--header") ? "use '--header', as in --header 'User-Agent: NAME'" : nil
        default: return nil
        }
    }
}
