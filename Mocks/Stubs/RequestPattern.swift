import Errand

/// A parsed method and URL; a class, so that copies of a stub share the object.
final class RequestPattern: Sendable, CustomStringConvertible {
  private let method: HTTPMethod?
  private let text: String
  private let origin: String?
  private let path: PathPattern
  private let query: String?
  private let queryItems: [QueryItem]?

  init(_ method: HTTPMethod?, url text: String) {
    var target = RequestTarget(text)
    self.method = method
    self.text = text
    origin = target.origin
    path = PathPattern(target.path)
    query = target.query
    queryItems = target.queryItems
  }

  var description: String { description(hiding: .standard) }

  func description(hiding redaction: Redaction) -> String {
    "\(method?.token ?? "ANY") \(redaction.target(text))"
  }

  func matches(_ request: ReceivedRequest) -> Bool {
    var place = request.place
    return matches(request.method, at: &place)
  }

  var hasOrigin: Bool { origin != nil }

  var hasVariables: Bool { path.hasVariables }

  func variables(in place: inout RequestTarget) -> [String: String] { path.variables(in: &place) }

  func under(_ base: String) -> RequestPattern {
    guard origin == nil else { return self }
    let stem = base.hasSuffix("/") ? base.dropLast() : base[...]
    return RequestPattern(method, url: "\(stem)\(text.hasPrefix("/") ? "" : "/")\(text)")
  }

  func matches(_ method: HTTPMethod, at place: inout RequestTarget) -> Bool {
    if let own = self.method, own != method { return false }
    if let origin, origin != place.origin { return false }
    if let queryItems, queryItems != place.queryItems { return false }
    return path.matches(&place)
  }
}

extension RequestPattern {
  func mismatch(with method: HTTPMethod, at place: inout RequestTarget, hiding redaction: Redaction)
    -> Mismatch
  {
    var mismatch = Mismatch()
    let (written, query) = (place.path, place.query)
    let origin = self.origin == nil ? nil : place.origin
    let shown = MessageText(redaction: redaction)
    if let own = self.method, own != method { mismatch.add("method is \(method), not \(own)", weight: 4) }
    if let wanted = self.origin, wanted != origin {
      mismatch.add("origin is \(origin.map(shown.place) ?? "missing"), not \(shown.place(wanted))", weight: 5)
    }
    if let problem = path.problem {
      mismatch.add("path cannot be compared, because the stub's path is malformed: \(problem)", weight: 6)
    } else if !path.matches(&place) {
      let hint = path.hint.map { " (\(shown.place($0)))" } ?? ""
      mismatch.add(
        "path is \(shown.place(written)), not \(shown.place(self.path.description))\(hint)",
        weight: 6 + path.distance(to: &place))
    }
    if let queryItems, queryItems != place.queryItems {
      mismatch.add("query is \(shown.query(query)), not \(shown.query(self.query))", weight: 3)
    }
    return mismatch
  }
}
