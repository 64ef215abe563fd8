import TestSupport
import Testing

/// Repositories of git for a test, whatever the user's own settings are.
enum Repository {
    static let environment = [
        "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@d.example", "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@d.example",
    ]

    /// Makes a folder a repository whose first commit, on `main`, has all that is in it, and returns the commit.
    @discardableResult
    static func make(at folder: String) throws -> String {
        let commands = [["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]]
        for command in commands {
            let result = try Program.run("git", command, in: folder, environment: environment)
            try #require(result.status == 0, "\(result.errors)")
        }
        let result = try Program.run("git", ["rev-parse", "HEAD"], in: folder, environment: environment)
        return String(result.text.dropLast())
    }
}
