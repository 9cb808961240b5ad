import Foundation

/// `swift run Quickstart` shows three endpoints at work on a server of its own; `swift run Quickstart URL` fetches a URL.
@main
struct Quickstart {
  static func main() async {
    do {
      switch CommandLine.arguments.count {
      case 1: try await demonstrate()
      case 2: try await fetch(CommandLine.arguments[1])
      default: fail("usage: Quickstart [URL]")
      }
    } catch {
      fail("\(error)")
    }
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("\(message)\n".utf8))
    exit(1)
  }
}
