// swift-tools-version:5.5
import PackageDescription

let package = Package(
    name: "adapter",
    // here: dependencies: [.package(url: "…", from: "1.0.0")], and the product in those of the target
    targets: [.executableTarget(name: "adapter", dependencies: [])]
)
