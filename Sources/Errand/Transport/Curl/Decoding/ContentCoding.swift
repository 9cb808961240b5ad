#if os(Linux)
/// The content codings of a response (RFC 9110 section 8.4).
enum ContentCoding: String {
  case gzip, deflate, br, zstd

  /// More than this many are refused: each takes memory, and no server has a reason for them.
  static let limit = 4

  /// The decoders in the order they are applied; none when any coding cannot be undone, so the body stays as it came.
  static func decoders(
    for headers: HTTPHeaders, libraries: @autoclosure () -> DecoderLibraries = .system
  ) throws -> [any BodyDecoder] {
    guard let value = headers["Content-Encoding"] else { return [] }
    let names = value.lowercased().split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
    let codings = names.filter { !$0.isEmpty && $0 != "identity" }
    guard codings.count <= limit else {
      throw TransportError(.invalidResponse, "the response has more than \(limit) content codings")
    }
    let libraries = libraries()
    let decoders = codings.compactMap { name in
      ContentCoding(rawValue: name == "x-gzip" ? "gzip" : name).flatMap { libraries.decoder(for: $0) }
    }
    return decoders.count == codings.count ? decoders.reversed() : []
  }
}
#endif
