internal import AFCPackageFormat

/// A manifest as a text: how its lines are written, and what its header is for.
struct LintedManifest: Sendable {
    /// How the lines are written.
    let texture: ManifestTexture
    /// What the header `baseURL` says, or nil where no entry stands below it.
    let baseURL: String?
    /// Whether an entry's URL begins with the base URL.
    let usesBaseURL: Bool
}
