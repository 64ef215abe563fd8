internal import AFCCache
package import AFCCaching
internal import AFCDiscovery
internal import AFCHTTP
internal import AFCText
internal import HTTPTypes

/// Which preferences of origins a server for agents obeys.
package struct UsageObedience: Sendable {
    /// The names that the user overrides.
    let ignored: Set<UsagePreferences.Input>
    /// Returns the sentence that says how to override names.
    let advice: @Sendable ([UsagePreferences.Input]) -> String

    /// Creates the choice.
    ///
    /// - Parameters:
    ///   - ignored: The names that the user overrides.
    ///   - advice: Returns the sentence that says how to override names, without a full stop.
    package init(
        ignoring ignored: Set<UsagePreferences.Input> = [],
        advice: @escaping @Sendable ([UsagePreferences.Input]) -> String = { _ in "its owner may override this" }
    ) {
        (self.ignored, self.advice) = (ignored, advice)
    }
}

extension PackagedSites {
    /// The most bytes of a page's head that are read for a list of pages.
    private static let headLimit = 64 << 10

    /// Returns what is said about the use of a resource: with the response, and in the head of a page.
    ///
    /// Only crawls record what a page says, so it is read again.
    ///
    /// - Throws: `CacheError` if the page can't be read.
    func usage(of found: FoundResource) throws(CacheError) -> StatedUsage {
        let resource = found.resource
        var usage = StatedUsage(resource.fields)
        guard case .html(let isXML)? = PageKind(resource.fields, status: resource.status),
            let head = try found.generation.body(of: resource, limit: Self.headLimit)
        else { return usage }
        let charset = resource.fields[.contentType].flatMap { MediaType($0) }?.parameter("charset")
        let words = head.withUnsafeBufferPointer {
            PageDirectiveWords.read(html: $0, charset: charset, isXML: isXML)
        }
        usage.page = usage.page.combined(with: UsagePreferences(directives: words))
        return usage
    }

    /// Returns what is said about the use of a resource that an agent may read.
    ///
    /// - Throws: ``ToolRefusal`` if the origin prefers that no agent reads it; `CacheError` if the page can't be read.
    func permittedUsage(of found: FoundResource) throws -> StatedUsage {
        let usage = try self.usage(of: found)
        let forbidding = forbids(usage)
        guard !forbidding.isEmpty else { return usage }
        let names = forbidding.map { name in
            "'\(name.rawValue)' (\(usage.places(disallowing: name.rawValue).joined(separator: " and ")))"
        }
        throw ToolRefusal(
            "'\(PrintableText.escaped(found.resource.url))' is withheld, since its origin disallows its use by AI: "
                + "\(names.joined(separator: ", ")); \(obedience.advice(forbidding))"
        )
    }

    /// Returns the names by which an agent may not read a resource.
    func forbids(_ usage: StatedUsage) -> [UsagePreferences.Input] {
        usage.combined.forbidsInput(except: obedience.ignored)
    }

    /// Returns the sentence about pages that a list leaves out; nil if there are none.
    ///
    /// - Parameters:
    ///   - count: Their number.
    ///   - names: The names by which they are left out.
    /// - Returns: The sentence with its full stop.
    func note(withheld count: Int, _ names: Set<UsagePreferences.Input>) -> String? {
        guard count > 0 else { return nil }
        let names = UsagePreferences.Input.allCases.filter(names.contains)
        let pages = "\(Quantity.count(count, "page")) \(count == 1 ? "is" : "are") withheld"
        let list = names.map(\.rawValue).joined(separator: ", ")
        return "\(pages), since origins disallow the use by AI (\(list)); \(obedience.advice(names))."
    }
}

/// The number of pages of an origin, and of those among them that agents may not read.
struct PageCount: Sendable {
    var pages = 0
    var withheld = 0
}
