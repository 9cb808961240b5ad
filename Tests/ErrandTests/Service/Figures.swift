import Foundation

/// Prints measured figures if `ERRAND_LOAD_FIGURES` is set.
enum Figures {
  static func print(_ line: @autoclosure () -> String) {
    if ProcessInfo.processInfo.environment["ERRAND_LOAD_FIGURES"] != nil { Swift.print(line()) }
  }
}
