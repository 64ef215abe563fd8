import AFCURL
import Testing

@testable import AFCDiscovery

#if DEBUG || COUNTING
/// Recipes for scripts cost what a hostile script is long, counted in bytes looked at.
struct RecipeLinearityTests {
    /// How often each part is repeated.
    ///
    /// What is looked at again for every tenth part shows in thousands of steps.
    private static let count = 300

    private static let parts = [
        "r.u=e=>{1:\"", ".u=e=>(", ".u=e=>{1:1,", ".p+{1:\"a\",", ".p+\"", ".p+`${", "[{url:\"a\",", "[[\"", "[{",
        ".f.j=/^(", "={1:1", ":1}", "if(1==", ".e(1),", ".e(1).then(", ".h=()=>\"a\"", ".miniCssF=e=>\"",
        "import(\"./\"+", "TURBOPACK\"static/", "\\\"", "r.p=", "`", "//", "/*", "_next/static/media/",
        "importScripts(r.p+r.u(", "[{path:\"/a\",component:", "children:[", "{\"/a\":[1],", "[/^\\/a", "r.O(void 0,[1,",
        "a=[...", "c.addAll([", "c.addAll(a)", "a.concat(",
    ]

    private static let heads = [
        "Loading chunk ", "Loading chunk CSS_CHUNK_LOAD_FAILED:1}", "webpackChunk", "__webpack_ids__", "TURBOPACK",
        "caches.addAll(a)a=[", "importScripts(r.p+r.u(e))r.u=e=>e+\".js\"",
        "Loading chunk r.u=e=>({7:\"a\"})[e]+\".js\",r.f.j=",
    ]

    private static func steps(
        _ text: String,
        _ goal: JavaScriptReferences.Goal,
        at path: String = "/_next/static/chunks/a.js"
    ) throws -> Int {
        let url = try WebURL("http://d.example" + path)
        var steps = 0
        withUnsafeMutablePointer(to: &steps) { counter in
            Array(text.utf8).withUnsafeBufferPointer { buffer in
                var bytes = ScanBuffer(buffer)
                bytes.steps = counter
                _ = Recipe.references(in: RecipeScript(text: bytes, url: url, goal: goal), .builtIn)
            }
        }
        return steps
    }

    @Test(arguments: [
        "/assets/a.js", "/_app/immutable/a.js", "/_next/static/x/_buildManifest.js", "/flutter_service_worker.js",
    ])
    func `twice the script costs twice as much in any folder`(path: String) throws {
        let head = "dictionary sortedPages[component RESOURCES={x({path:\"/a\"},{path:\"/b\"});"
        for part in Self.parts {
            func steps(_ count: Int) throws -> Int {
                try Self.steps(head + String(repeating: part, count: count), .script, at: path)
            }
            let (once, twice) = (try steps(Self.count), try steps(2 * Self.count))
            #expect(twice <= 2 * once + 2048, "\(part)")
        }
    }

    @Test(arguments: heads)
    func `twice the script costs twice as much`(head: String) throws {
        for part in Self.parts {
            for goal in [JavaScriptReferences.Goal.script, .module] {
                func steps(_ count: Int) throws -> Int {
                    try Self.steps(head + String(repeating: part, count: count) + "CSS_CHUNK_LOAD_FAILED", goal)
                }
                let (once, twice) = (try steps(Self.count), try steps(2 * Self.count))
                #expect(twice <= 2 * once + 2048, "\(head)\(part)")
                #expect(once <= 128 * Self.count * part.utf8.count + 65_536, "\(head)\(part)")
            }
        }
    }
}
#endif
