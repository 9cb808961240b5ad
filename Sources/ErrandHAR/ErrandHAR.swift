import ErrandMocks
import Foundation

/// A command-line tool for HAR files.
///
/// `swift run errand-har list FILE` shows a HAR file, `check FILE` reports problems, and `clean FILE` hides
/// the secrets and sorts the entries.
@main
struct ErrandHAR {
  static func main() {
    let code = HARCommand.run(Array(CommandLine.arguments.dropFirst())) { line in
      FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
    exit(code)
  }
}
