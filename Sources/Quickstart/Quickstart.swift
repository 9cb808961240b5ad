import Errand
import ErrandLogs
import Foundation

/// The demonstration program of Errand.
///
/// Without arguments, the program sends three requests to a built-in server. See `Quickstart --help` for the
/// options.
@main
struct Quickstart {
  static func main() async {
    var arguments = Array(CommandLine.arguments.dropFirst())
    var logger: HTMLLogger?
    if let index = arguments.firstIndex(of: "--log"), index + 1 < arguments.count {
      logger = .quickstart(in: URL(fileURLWithPath: arguments[index + 1]))
      arguments.removeSubrange(index...(index + 1))
    } else if arguments.isEmpty {
      let folder = "errand-\(UUID().uuidString)"
      logger = .quickstart(in: FileManager.default.temporaryDirectory.appendingPathComponent(folder))
    }
    var failure: (any Error)?
    do { try await run(arguments, logger) } catch { failure = error }
    if let logger {
      await logger.flush()
      print("\n" + (logger.problem ?? "The HTML log of the run: \(logger.newest.path)"))
    }
    if let failure { fail("\(failure)") }
  }

  private static func run(_ arguments: [String], _ logger: HTMLLogger?) async throws {
    let accessories: [any Accessory] = logger.map { [$0] } ?? []
    let usage = "usage: Quickstart [URL [--output FILE]] [--log FOLDER]"
    if arguments.first == "--help" { return print(usage) }
    if arguments.first?.hasPrefix("-") == true { fail(usage) }
    switch (arguments.count, arguments.dropFirst().first) {
    case (0, _): try await demonstrate(accessories)
    case (1, _): try await fetch(arguments[0], accessories)
    case (3, "--output"): try await download(arguments[0], to: arguments[2], accessories)
    default: fail(usage)
    }
  }

  static func writeError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

  private static func fail(_ message: String) -> Never {
    writeError("\(message)\n")
    exit(1)
  }
}

extension HTMLLogger {
  static func quickstart(in folder: URL) -> HTMLLogger { HTMLLogger(directory: folder, name: "quickstart") }
}
