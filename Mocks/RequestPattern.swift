import Errand

/// What a stub or a route answers: a method and a place.
struct RequestPattern: Sendable, CustomStringConvertible {
  private let method: HTTPMethod?
  private let text: String
  private let origin: String?
  private let path: String
  private let components: [String]
  private let isPrefix: Bool
  private let queryItems: [String]?

  /// Makes a pattern of a URL or a path; `nil` stands for every method, a `*` at the end of the path for any rest.
  init(_ method: HTTPMethod?, _ text: String) {
    let target = RequestTarget(text)
    self.method = method
    self.text = text
    origin = target.origin
    path = target.path
    isPrefix = target.path.hasSuffix("*")
    components = isPrefix ? RequestTarget.components(of: String(target.path.dropLast())) : target.components
    queryItems = target.queryItems
  }

  /// The method and the URL as they were written.
  var description: String { "\(method?.token ?? "ANY") \(text)" }

  func matches(_ request: ReceivedRequest) -> Bool { matches(request.method, request.place) }

  /// The same of a request whose place was taken apart before, for many patterns.
  func matches(_ method: HTTPMethod, _ place: RequestTarget) -> Bool {
    if let own = self.method, own != method { return false }
    if let origin, origin != place.origin { return false }
    if let queryItems, queryItems != place.queryItems { return false }
    // Most are written alike, and need not be decoded.
    return !isPrefix && place.path == path || matches(place.components)
  }

  private func matches(_ path: [String]) -> Bool {
    guard isPrefix, let last = components.last else { return path == components }
    let whole = components.count - 1
    return path.count > whole && path[..<whole] == components[..<whole] && path[whole].hasPrefix(last)
  }
}

extension [RequestPattern] {
  /// The end of the message about a request that nothing answers.
  func listed(as noun: String) -> String {
    isEmpty ? "there are no \(noun)" : "the \(noun) are \(map(\.description).joined(separator: ", "))"
  }
}
