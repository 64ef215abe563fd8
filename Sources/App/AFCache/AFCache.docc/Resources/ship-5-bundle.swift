import AFCache
import Foundation

guard let package = Bundle.module.url(forResource: "garden", withExtension: "zip") else {
    throw CocoaError(.fileNoSuchFile)
}
