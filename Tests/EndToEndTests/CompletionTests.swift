import TestSupport
import Testing

/// The completions that are installed, in the shells that read them.
struct CompletionTests {
    /// What is typed, what must be offered, and what mustn't.
    static let typed: [(line: String, offered: [String], missing: [String])] = [
        ("afcache l", ["lint", "load", "ls"], ["pack", "manual"]),
        (
            "afcache ",
            ["pack", "record", "lint", "load", "sync", "ls", "get", "unpack", "serve", "cache", "keygen", "ca"],
            ["manual"]
        ),
        ("afcache cache r", ["repair", "remove", "rollback"], ["verify"]),
        ("afcache lint --f", ["--format", "--fail-on"], ["--quiet"]),
        ("afcache lint --fail-on w", ["warning"], ["error"]),
        ("afcache repack --dialect f", ["four", "five"], ["three"]),
    ]

    @Test func `bash completes commands, options and values`() throws {
        let tree = try InstalledTree()
        let script = """
            set -u
            source "$1"
            read -ra COMP_WORDS <<<"$2"
            [[ "$2" != *" " ]] || COMP_WORDS+=("")
            COMP_LINE=$2 COMP_POINT=${#2} COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
            function=$(complete -p afcache | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
            previous=${COMP_WORDS[COMP_CWORD - 1]}
            "$function" afcache "${COMP_WORDS[COMP_CWORD]}" "$previous"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let file = tree.path("share/bash-completion/completions/afcache")
        for typed in Self.typed {
            let result = try Program.run("bash", ["--norc", "-c", script, "bash", file, typed.line])
            #expect(result.errors.isEmpty, "\(typed.line)")
            let replies = result.text.split(separator: "\n").map { $0.trimmingPrefix(while: { $0 == " " }) }
            compare(replies.map { String($0.prefix { $0 != " " }) }, with: typed)
        }
    }

    @Test func `fish completes commands, options and values`() throws {
        let tree = try InstalledTree()
        let file = tree.path("share/fish/vendor_completions.d/afcache.fish")
        #expect(try Program.run("fish", ["--no-execute", file]).status == 0)
        // The program must be in PATH: fish looks for what it completes.
        let environment = ["HOME": tree.scratch.path, "XDG_CONFIG_HOME": tree.scratch.path("config")]
        for typed in Self.typed {
            let script = "set -p PATH '\(tree.path("bin"))'; source '\(file)'; complete -C '\(typed.line)'"
            let result = try Program.run("fish", ["--no-config", "-c", script], environment: environment)
            #expect(result.errors.isEmpty, "\(typed.line)")
            compare(result.text.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }, with: typed)
        }
    }

    @Test func `zsh reads its file, and finds the function by its name`() throws {
        let tree = try InstalledTree()
        let file = tree.path("share/zsh/site-functions/_afcache")
        let parsed = try Program.run("zsh", ["-f", "-n", file])
        #expect(parsed.status == 0)
        #expect(parsed.errors.isEmpty)
        #expect(
            String(decoding: try tree.scratch.read("root folder/usr/share/zsh/site-functions/_afcache"), as: UTF8.self)
                .hasPrefix("#compdef afcache\n")
        )
        let script = """
            fpath=("$1" $fpath); autoload -Uz compinit && compinit -u -d "$2"; print -r -- ${_comps[afcache]}
            """
        let folder = tree.path("share/zsh/site-functions")
        let result = try Program.run("zsh", ["-f", "-c", script, "zsh", folder, tree.scratch.path("dump")])
        #expect(result.text == "_afcache\n", "\(result.errors)")
    }

    private func compare(
        _ replies: [String],
        with typed: (line: String, offered: [String], missing: [String])
    ) {
        for word in typed.offered { #expect(replies.contains(word), "'\(typed.line)' offers \(replies)") }
        for word in typed.missing { #expect(!replies.contains(word), "'\(typed.line)' offers \(replies)") }
    }
}
