#if os(Linux)
/// The content codings of a response (RFC 9110 section 8.4).
enum ContentCoding: String {
  case gzip, deflate

  /// More than this many are refused: each takes memory, and no server has a reason for them.
  static let limit = 4

  /// The decoders in the order they are applied; none when any coding is not known, so the body stays as it came.
  static func decoders(for headers: HTTPHeaders) throws -> [Inflater] {
    guard let value = headers["Content-Encoding"] else { return [] }
    let names = value.lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    let codings = names.filter { !$0.isEmpty && $0 != "identity" }
    guard codings.count <= limit else {
      throw TransportError(.invalidResponse, "the response has more than \(limit) content codings")
    }
    let known = codings.compactMap { ContentCoding(rawValue: $0 == "x-gzip" ? "gzip" : $0) }
    return known.count == codings.count ? known.reversed().map(Inflater.init) : []
  }
}
#endif
