import ArgumentParser
@main struct AFCache: ParsableCommand { func run() {} }
