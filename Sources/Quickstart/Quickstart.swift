import Foundation

/// `swift run Quickstart` shows three endpoints at work on a server of its own; `swift run Quickstart URL` fetches a URL, and with
/// `--output FILE` into a file.
@main
struct Quickstart {
  static func main() async {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      switch (arguments.count, arguments.dropFirst().first) {
      case (0, _): try await demonstrate()
      case (1, _): try await fetch(arguments[1])
      case (3, "--output"): try await download(arguments[1], to: arguments[3])
      default: fail("usage: Quickstart [URL [--output FILE]]")
      }
    } catch {
      fail("\(error)")
    }
  }

  static func writeError(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

  private static func fail(_ message: String) -> Never {
    writeError("\(message)\n")
    exit(1)
  }
}
