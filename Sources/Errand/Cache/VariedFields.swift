/// The header names in the `Vary` fields of a response (RFC 9110 section 12.5.5).
struct VariedFields: Sendable {
  /// The maximum number of different names, to bound the time of a lookup.
  static let most = 64

  private(set) var names: [String] = []
  private(set) var folded: Set<String> = []
  private(set) var problem: String?

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
