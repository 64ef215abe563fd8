/// The rules that are on in one run.
struct ActiveRules: Sendable {
    let manifest: [any ManifestRule.Type]
    let entry: [any EntryRule.Type]
    let resource: [any ResourceRule.Type]
    let body: [any BodyRule.Type]
    let reference: [any ReferenceRule.Type]
    let package: [any PackageRule.Type]

    init(_ options: Linter.Options) {
        func isOn(_ rule: any LintRule.Type) -> Bool {
            rule.isOn ? !options.switchedOff.contains(rule.id) : options.switchedOn.contains(rule.id)
        }
        manifest = LintRules.manifestRules.filter { isOn($0) }
        entry = LintRules.entryRules.filter { isOn($0) }
        resource = LintRules.resourceRules.filter { isOn($0) }
        body = LintRules.bodyRules.filter { isOn($0) }
        reference = LintRules.referenceRules.filter { isOn($0) }
        package = LintRules.packageRules.filter { isOn($0) }
    }
}
