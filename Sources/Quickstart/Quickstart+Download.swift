import Errand
import Foundation

extension Quickstart {
  private struct Download: DownloadRequest {
    let path: String
    let destination: URL
  }

  static func download(_ url: String, to path: String, _ accessories: [any Accessory]) async throws {
    let handle = RequestAgent(accessories: accessories, configuration: .quickstart).start(
      Download(path: url, destination: URL(fileURLWithPath: path)))
    if isatty(STDERR_FILENO) == 1 {
      for await progress in handle.progress where progress.phase == .receiving {
        writeError("\r\(bar(of: progress))\u{1B}[K")
        try await Task.sleep(for: .milliseconds(50))
      }
      writeError("\n")
    }
    let file = try await handle.value
    print("\(file.size) bytes in \(file.url.path)")
  }

  private static func bar(of progress: TransferProgress) -> String {
    let pace = progress.throughput.map { ", \(size($0))/s" } ?? ""
    guard let fraction = progress.fraction else { return "\(size(Double(progress.completed)))\(pace)" }
    let done = Int(fraction * 30)
    let left = progress.timeLeft.map { ", \(Int(($0 / .seconds(1)).rounded(.up))) s left" } ?? ""
    let bar = String(repeating: "#", count: done) + String(repeating: ".", count: 30 - done)
    return "[\(bar)] \(Int(fraction * 100)) % of \(size(Double(progress.total ?? 0)))\(pace)\(left)"
  }

  private static func size(_ bytes: Double) -> String {
    let units = ["bytes", "KB", "MB", "GB", "TB"]
    var (rest, unit) = (bytes, 0)
    while rest >= 1000, unit < units.count - 1 { (rest, unit) = (rest / 1000, unit + 1) }
    return unit == 0 ? "\(Int(rest)) bytes" : "\(String(format: "%.1f", rest)) \(units[unit])"
  }
}
