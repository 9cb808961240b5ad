/// The request fields that a response differs by, as its `Vary` fields name them (RFC 9110 section 12.5.5).
struct VariedFields: Sendable {
  /// The number of fields that a response may differ by and still be stored: each lookup compares all of them.
  static let most = 64

  /// Each name once, as the response writes it first; empty where ``problem`` is not.
  private(set) var names: [String] = []
  /// The names in small letters.
  private(set) var folded: Set<String> = []
  /// Why no request can be told from another by them, as a clause; `nil` where requests can.
  private(set) var problem: String?

  /// Reads the `Vary` fields, up to the first name too many.
  init(_ headers: HTTPHeaders) {
    for field in headers.fields where HTTPHeaders.same(field.name, "Vary") {
      for name in CacheControl.list(field.value) {
        if name == "*" {
          refuse("Vary is *")
          return
        }
        guard folded.insert(name.lowercased()).inserted else { continue }
        if folded.count > Self.most {
          refuse("Vary names more than \(Self.most) fields")
          return
        }
        names.append(name)
      }
    }
  }

  private mutating func refuse(_ problem: String) {
    (names, folded, self.problem) = ([], [], problem)
  }
}
