import ErrandMocks
import Foundation

/// `swift run errand-har list FILE` shows a HAR file, `check FILE` looks for what is wrong with it, and `clean FILE` hides its
/// secrets and sorts it.
@main
struct ErrandHAR {
  static func main() {
    let code = HARCommand.run(Array(CommandLine.arguments.dropFirst())) { line in
      FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
    exit(code)
  }
}
