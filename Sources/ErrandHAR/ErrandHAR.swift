import ErrandMocks
import Foundation

/// The command-line tool `errand-har` for HAR files.
///
/// Example: `swift run errand-har list FILE`.
@main
struct ErrandHAR {
  static func main() {
    let code = HARCommand.run(Array(CommandLine.arguments.dropFirst())) { line in
      FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
    exit(code)
  }
}
