extension JavaScriptWalk {
    /// `new URL(…)` and `new Worker(new URL(…))` behind their `new`.
    mutating func constructing() -> Found? {
        let name = token()
        guard name == .name, !tokenizer.isMember else { return nil }
        if tokenizer.isName("URL") { return url(isWorker: false) }
        guard tokenizer.isName("Worker") || tokenizer.isName("SharedWorker") else { return giveUp(name) }
        let open = token()
        guard isPunctuator(open, "(") else { return giveUp(open) }
        let inner = token()
        guard inner == .name, tokenizer.isName("new") else { return giveUp(inner) }
        let innerName = token()
        guard innerName == .name, tokenizer.isName("URL") else { return giveUp(innerName) }
        return url(isWorker: true)
    }

    /// `("x", import.meta.url)` behind `new URL`, and for a worker its options.
    private mutating func url(isWorker: Bool) -> Found? {
        let open = token()
        guard isPunctuator(open, "(") else { return giveUp(open) }
        let first = token()
        guard first == .string else { return giveUp(first) }
        let range = tokenizer.range
        var next = token()
        guard isPunctuator(next, ",") else { return giveUp(next) }
        next = token()
        guard next == .name, tokenizer.isName("import") else { return giveUp(next) }
        next = token()
        // `import` may be one after all.
        if isPunctuator(next, "(") { return importCall() }
        guard isPunctuator(next, ".") else { return giveUp(next) }
        guard token() == .name, tokenizer.isName("meta"), isPunctuator(token(), "."), token() == .name,
            tokenizer.isName("url")
        else { return nil }
        next = token()
        if isPunctuator(next, ",") { next = token() }
        guard isPunctuator(next, ")") else { return giveUp(next) }
        guard isWorker else { return found(range, .url, .other) }
        next = token()
        guard isPunctuator(next, ",") else {
            _ = giveUp(next)
            return found(range, .url, .script)
        }
        return found(range, .url, option("type") == "module" ? .module : .script)
    }
}
