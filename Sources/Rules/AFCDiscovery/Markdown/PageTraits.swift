/// What the classes, the role and the other attributes of an element say of its part in the page.
struct PageTraits: OptionSet, Sendable {
    let rawValue: UInt32

    /// It is nothing that a reader of the content needs, such as a skip link or a button for copying.
    static let leftOut = PageTraits(rawValue: 1)
    /// It belongs to the page, not to its content: navigation, a banner.
    static let furniture = PageTraits(rawValue: 1 << 1)
    /// A generator of sites puts the content of a page here.
    static let generated = PageTraits(rawValue: 1 << 2)
    /// It is named like the place of the content, as many pages do.
    static let named = PageTraits(rawValue: 1 << 3)
    /// It has the role of the main part.
    static let main = PageTraits(rawValue: 1 << 4)
    /// It is a link from a heading to itself.
    static let permalink = PageTraits(rawValue: 1 << 5)
    static let admonition = PageTraits(rawValue: 1 << 6)
    static let admonitionTitle = PageTraits(rawValue: 1 << 7)
    static let lineNumbers = PageTraits(rawValue: 1 << 8)
    static let tabList = PageTraits(rawValue: 1 << 9)
    static let tabPanel = PageTraits(rawValue: 1 << 10)
    /// It is code, although it isn't a `pre` element.
    static let fragment = PageTraits(rawValue: 1 << 11)
    /// It is a line of code, such as the declaration of a function.
    static let signature = PageTraits(rawValue: 1 << 12)
    /// Its text is TeX within delimiters.
    static let math = PageTraits(rawValue: 1 << 13)
    /// It is a formula of KaTeX or MathJax, with TeX somewhere within.
    static let formula = PageTraits(rawValue: 1 << 14)
    static let displayed = PageTraits(rawValue: 1 << 15)
    static let lineBlock = PageTraits(rawValue: 1 << 16)
    /// It is a table only by its looks.
    static let layout = PageTraits(rawValue: 1 << 17)
    static let hidden = PageTraits(rawValue: 1 << 18)
    /// It contains sets of code in several languages, each of which has a label.
    static let codeGroup = PageTraits(rawValue: 1 << 19)

    /// It names the language of the code beside it.
    static let languageLabel = PageTraits(rawValue: 1 << 20)

    /// It is the head of a page or of its content.
    static let head = PageTraits(rawValue: 1 << 21)

    init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Reads the attributes of an element.
    init(of node: Int, in tree: PageTree) {
        self = []
        guard !tree[node].attributes.isEmpty else { return }
        for index in tree[node].attributes {
            let attribute = tree.attributes[Int(index)]
            guard attribute.value.count <= 1024 else { continue }
            switch attribute.name {
            case .class: Self.forEachWord(of: attribute.value, in: tree.bytes) { formUnion(Self.traits(ofClass: $0)) }
            case .id: formUnion(Self.ids[tree.bytes.string(attribute.value)] ?? [])
            case .role: formUnion(Self.roles[tree.bytes.string(attribute.value).lowercased()] ?? [])
            case .hidden: if tree.bytes.string(attribute.value).lowercased() != "until-found" { insert(.hidden) }
            case .ariaHidden: if tree.bytes.string(attribute.value) == "true" { insert(.hidden) }
            default: break
            }
        }
        // Of the panels of a set of tabs, all but one are hidden until a script shows them.
        if contains(.tabPanel) { remove(.hidden) }
    }

    private static func forEachWord(of range: Range<Int>, in bytes: ScanBuffer, _ body: (String) -> Void) {
        var index = range.lowerBound
        while index < range.upperBound {
            let start = index
            while index < range.upperBound, !bytes[index].isSpace { index += 1 }
            if index > start, index - start <= 48 { body(bytes.string(start..<index)) }
            index += 1
        }
    }

    private static func traits(ofClass name: String) -> PageTraits {
        if let traits = classes[name] { return traits }
        // Modules of style sheets add a hash to a name.
        guard let end = name.utf8.firstIndex(of: UInt8(ascii: "_")) else { return [] }
        return classes[String(name[...end])] ?? []
    }

    private static let roles: [String: PageTraits] = [
        "main": .main, "navigation": .furniture, "search": .furniture, "banner": .furniture,
        "contentinfo": .furniture, "presentation": .layout, "none": .layout, "tablist": .tabList,
        "tabpanel": .tabPanel, "doc-pagebreak": .leftOut, "tooltip": .leftOut,
    ]

    private static let ids: [String: PageTraits] = [
        "main-content": .named, "page-content": .named, "mw-content-text": .generated,
        "apicontent": .generated, "docs-body": .generated, "content": .named,
        "main": .named, "bodyContent": .named, "article": .named, "primary": .named, "page-header": .furniture,
        "quickview": .furniture, "footer": .furniture, "header": .head, "sidebar": .furniture,
        "breadcrumbs": .furniture, "cookie-banner": .furniture, "cookie-consent": .furniture,
        "onetrust-consent-sdk": .furniture, "toc": .furniture, "table-of-contents": .furniture,
        "TableOfContents": .furniture, "disqus_thread": .furniture, "comments": .furniture, "nav-path": .furniture,
    ]

    /// The classes by which generators and their themes name the parts of a page.
    private static let classes: [String: PageTraits] = {
        var classes: [String: PageTraits] = [:]
        func add(_ traits: PageTraits, _ names: String) {
            for name in names.split(separator: " ") { classes[String(name), default: []].formUnion(traits) }
        }
        add(
            .generated,
            """
            theme-doc-markdown md-content__inner vp-doc bd-article td-content markdown-section mw-parser-output \
            markdown-body sl-markdown-content theme-default-content nextra-content starlight-content refentry
            """
        )
        add(
            .named,
            """
            post-content entry-content article-content post-body article-body page-content main-content content \
            contents document body book-page story-body doc content-body page-body rst-content md-content
            """
        )
        add(
            .leftOut,
            """
            sr-only visually-hidden screen-reader-text screen-reader-only visuallyhidden skip-link skip-to-content \
            skipnav skiplink copybtn copy-button copy-btn btn-copy clipboard-copy copy-code-button md-clipboard \
            md-content__button md-source-file edit-this-page edit-page-link theme-edit-this-page edit-link \
            tocsToggle mw-editsection mw-jump-link printfooter noprint theme-doc-toc-mobile theme-doc-breadcrumbs \
            theme-doc-version-badge theme-doc-version-banner theme-doc-footer theme-last-updated tocCollapsible_ \
            docs-edit github-link gh-link source-link__hidden code-block-buttons buttonGroup_ buttonGroup__ \
            test-arrow rustdoc-toolbar hideme toolbar-item \
            dynheader sphinx-bs__copy giscus utterances ttc tooltiptext notable-traits-tooltiptext
            """
        )
        add(
            .furniture,
            """
            breadcrumb breadcrumbs pagination pagination-nav pager prev-next prev-next-area prev-next-footer related \
            sphinxsidebar wy-breadcrumbs rst-footer-buttons navheader navfooter navbar nav sidebar-nav site-header \
            site-footer page-footer page-header-nav cookie cookies cookie-banner cookie-consent cookieconsent cookie-notice \
            cc-window consent-banner gdpr share-buttons social-share sharing addtoany_share_container toc-wrapper \
            table-of-contents toc-sidebar md-sidebar md-header md-footer navigation nav-chapters nav-wrapper \
            mobile-nav-chapters nav-path navpath footer advertisement ads ad-container newsletter comments related-posts \
            related-articles post-navigation nav-links wp-block-comments catlinks navbox vector-toc sitemap-links \
            subnav topnav bottomnav menu skip-nav docs-sidebar bd-sidebar bd-header bd-footer announcement
            """
        )
        add(
            .permalink,
            """
            headerlink header-anchor hash-link anchor anchor-link anchorjs-link permalink heading-anchor \
            direct-link toc-anchor td-heading-self-link sl-anchor-link anchor-heading heading-link self-link
            """
        )
        add(
            .admonition,
            """
            admonition theme-admonition admonitionblock custom-block markdown-alert starlight-aside callout \
            admonition-block alert alert-block
            """
        )
        add(
            .admonitionTitle,
            """
            admonition-title custom-block-title markdown-alert-title starlight-aside__title admonitionHeading_ \
            admonition-heading callout-title callout-header
            """
        )
        add(
            .lineNumbers,
            """
            linenos lineno linenodiv rouge-gutter gutter gl line-numbers-wrapper line-numbers-rows \
            hljs-ln-numbers src-line-numbers lnt ln line-number linenumber blob-num codeLineNumber_ code-lines
            """
        )
        add(.tabList, "tabbed-labels sphinx-tabs-tab-list tabs-list")
        add(.tabPanel, "tabbed-block sd-tab-content sphinx-tabs-panel tab-pane")
        add(.tabList, "sd-tab-label")
        add(.codeGroup, "vp-code-group")
        add(.languageLabel, "lang")
        add(.fragment, "fragment")
        add(.signature, "sig code-header memproto member-signature type-signature")
        add(.math, "math arithmatex")
        add(.formula, "katex MathJax mjx-container mwe-math-element")
        add([.formula, .displayed], "katex-display MathJax_Display")
        add(.lineBlock, "line-block")
        add(.layout, "highlighttable rouge-table layout memname fields")
        return classes
    }()
}
