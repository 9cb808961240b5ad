import Errand
import Foundation

/// Converts file URLs to and from paths relative to the home directory.
///
/// An update of the app may move the home directory.
enum HomePath {
  private static let mark = "~/"

  /// Returns the path of a file URL, with `~/` for the home directory.
  ///
  /// The path of a directory ends with a slash.
  static func text(of url: URL, home: String = NSHomeDirectory()) -> String {
    let path = url.path + (url.hasDirectoryPath && !url.path.hasSuffix("/") ? "/" : "")
    guard home.utf8.count > 1, path.utf8.starts(with: "\(home)/".utf8) else { return path }
    return mark + path.utf8.dropFirst(home.utf8.count + 1).text
  }

  static func url(_ text: String, home: String = NSHomeDirectory()) -> URL {
    let isBelow = text.utf8.starts(with: mark.utf8)
    let path = isBelow ? "\(home)/\(text.utf8.dropFirst(mark.utf8.count).text)" : text
    return URL(fileURLWithPath: path, isDirectory: path.hasSuffix("/"))
  }
}

extension Substring.UTF8View {
  fileprivate var text: String { String(Substring(self)) }
}
