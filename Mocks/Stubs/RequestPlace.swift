import Errand
import Foundation

/// Where an endpoint goes, as far as it says so itself.
struct RequestPlace {
  let pattern: RequestPattern
  /// Of its path and its parameters; empty when these cannot be written.
  let queryItems: [(name: String, value: String)]

  init(of request: some Request) {
    if let custom = request.customRequest {
      let target = RequestTarget(custom.url.absoluteString)
      pattern = RequestPattern(custom.method, Self.literal(target.url))
      queryItems = FormItems(target.query ?? "").items
      return
    }
    let base = request.usesCDN ? request.cdnURL : request.baseURL
    let path = RequestTarget(request.path)
    pattern = RequestPattern(request.method, Self.url(path, of: request.path, under: base))
    let queries = [base.flatMap { RequestTarget($0.absoluteString).query }, path.query].compactMap { $0 }
    queryItems = (queries + Self.queries(of: request)).flatMap { FormItems($0).items }
  }

  /// The pattern of the place: what is not said, origin and the base's path, may be anything.
  private static func url(_ path: RequestTarget, of text: String, under base: URL?) -> String {
    if path.writtenOrigin != nil { return literal(path.url) }
    let isBase = path.path == "/" && !text.hasPrefix("/")
    guard let base else { return isBase ? "**" : "**\(literal(path.path))" }
    let stem = literal(RequestTarget(base.absoluteString).url)
    if isBase { return stem }
    return (stem.hasSuffix("/") ? String(stem.dropLast()) : stem) + literal(path.path)
  }

  /// A `*` of the endpoint's own is no wildcard.
  private static func literal(_ text: String) -> String { text.replacingOccurrences(of: "*", with: "%2A") }

  /// Parameters are the query of these methods, and mostly the body of others.
  private static func queries(of request: some Request) -> [String] {
    let encoding = request.requestSerializer.encoding
    let methods: [HTTPMethod] = [.get, .head, .delete]
    let parameters = methods.contains(request.method) ? request.parameters : [:]
    return [parameters, request.query].compactMap { try? encoding.encode($0) }
  }
}

extension RequestTarget {
  /// Without the query.
  fileprivate var url: String { (writtenOrigin ?? "") + path }
}
