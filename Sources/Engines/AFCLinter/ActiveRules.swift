/// The rules that are on in one run.
struct ActiveRules: Sendable {
    let manifest: [any ManifestRule.Type]
    let entry: [any EntryRule.Type]
    let resource: [any ResourceRule.Type]
    let body: [any BodyRule.Type]
    let reference: [any ReferenceRule.Type]
    let package: [any PackageRule.Type]

    init(_ levels: RuleLevels) {
        manifest = LintRules.manifestRules.filter { levels.isOn($0) }
        entry = LintRules.entryRules.filter { levels.isOn($0) }
        resource = LintRules.resourceRules.filter { levels.isOn($0) }
        body = LintRules.bodyRules.filter { levels.isOn($0) }
        reference = LintRules.referenceRules.filter { levels.isOn($0) }
        package = LintRules.packageRules.filter { levels.isOn($0) }
    }
}
