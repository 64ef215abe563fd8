import AFCCacheKit
import Foundation

guard let package = Bundle.module.url(forResource: "garden", withExtension: "zip") else {
    fatalError("the program has no package; build it again")
}
