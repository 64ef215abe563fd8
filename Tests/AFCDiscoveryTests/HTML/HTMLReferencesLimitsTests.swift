import Testing

@testable import AFCDiscovery

/// What markup refers to, written as `kind element attribute text`.
func references(
    _ markup: String,
    _ syntax: HTMLReferences.Syntax = .html,
    _ limits: DiscoveryLimits = DiscoveryLimits()
) -> HTMLReferences {
    Array(markup.utf8).withUnsafeBufferPointer { HTMLReferences(utf8: $0, syntax: syntax, limits: limits) }
}

func lines(_ result: HTMLReferences) -> [String] {
    result.references.map { "\($0.kind) \($0.element) \($0.attribute) \($0.text)" }
}

/// Documents that mean harm.
struct HTMLReferencesLimitsTests {
    @Test func `limits hold`() {
        var limits = DiscoveryLimits()
        limits.references = 2
        limits.referenceBytes = 3
        let result = references("<a href=1><a href=1234><a href=123><a href=4>", .html, limits)
        #expect(lines(result) == ["link a href 1", "link a href 123"])
        #expect(result.isTruncated)
    }

    @Test(arguments: [
        "<svg>", "<template>", "<iframe srcdoc='<iframe srcdoc=", "<math><mi>", "<style>", "<svg><style>", "<a href='",
        "<img srcset='", "<p style='url((((", "<!--", "</svg>", "<picture><video>", "<?xml-stylesheet ",
    ])
    func `repeated openings end in time and without overflow`(part: String) {
        let markup = String(repeating: part, count: 20_000)
        _ = references(markup)
        _ = references(markup, .xml)
    }

    @Test func `mangled documents are survived`() {
        let seed = """
            <!DOCTYPE html><svg><style>a{b:url('c\\64')}</style><![CDATA[x]]></svg><script><!--<script></script>--></script>\
            <img srcset="a 1x, b(c) 2w" style='x:image-set("y" 1x)'>&notit;&#x80;<iframe srcdoc="<p>">é<meta charset=x>
            """
        let bytes = Array(seed.utf8)
        var state: UInt64 = 42
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        for _ in 0..<5000 {
            var mangled = bytes
            for _ in 0...random(4) {
                let index = random(mangled.count)
                switch random(3) {
                case 0: mangled[index] = UInt8(random(256))
                case 1: mangled.removeSubrange(index...)
                default: mangled.insert(bytes[random(bytes.count)], at: index)
                }
                if mangled.isEmpty { mangled = bytes }
            }
            mangled.withUnsafeBufferPointer {
                _ = HTMLReferences(utf8: $0)
                _ = HTMLReferences(utf8: $0, syntax: .xml)
                let styles = ScanBuffer($0)
                CSSReferences.forEach(in: styles, 0..<styles.count) { _ in true }
                _ = TextDecoding.htmlEncoding(of: $0, charset: nil)
            }
        }
    }
}
