import Foundation

/// The items of a query or a form (WHATWG URL section 5.1), decoded; a `+` is a blank.
struct FormItems {
  let items: [(name: String, value: String)]

  init(_ text: String) {
    items = text.split(separator: "&").map { item in
      let name = item.prefix { $0 != "=" }
      return (Self.decoded(name), Self.decoded(item.dropFirst(name.count + 1)))
    }
  }

  func values(for name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

  private static func decoded(_ text: Substring) -> String {
    let blanks = text.replacingOccurrences(of: "+", with: " ")
    return blanks.removingPercentEncoding ?? blanks
  }
}
