/// Names that a ``Redaction`` was given, each for its place.
///
/// They are behind one reference, as a redaction is handed on for each pair of a text.
final class ListedNames: Sendable, Hashable {
  private let headers: SecretNames
  private let queryItems: SecretNames
  private let fields: SecretNames
  let isEmpty: Bool

  convenience init(queryItems: [String]) {
    self.init(SecretNames(), SecretNames(queryItems), SecretNames())
  }

  private init(_ headers: SecretNames, _ queryItems: SecretNames, _ fields: SecretNames) {
    self.headers = headers
    self.queryItems = queryItems
    self.fields = fields
    isEmpty = headers.isEmpty && queryItems.isEmpty && fields.isEmpty
  }

  func adding(headers: [String], queryItems: [String], fields: [String]) -> ListedNames {
    ListedNames(
      self.headers.adding(headers), self.queryItems.adding(queryItems), self.fields.adding(fields))
  }

  /// Whether the names of a place satisfy a condition; in free text those of any place.
  func have(_ place: Redaction.Place, _ condition: (SecretNames) -> Bool) -> Bool {
    switch place {
    case .header: condition(headers)
    case .queryItem: condition(queryItems)
    case .field: condition(fields)
    case .text: condition(headers) || condition(queryItems) || condition(fields)
    }
  }

  static func == (a: ListedNames, b: ListedNames) -> Bool {
    a.headers == b.headers && a.queryItems == b.queryItems && a.fields == b.fields
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(headers)
    hasher.combine(queryItems)
    hasher.combine(fields)
  }
}
