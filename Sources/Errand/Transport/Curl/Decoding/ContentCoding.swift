#if os(Linux)
enum ContentCoding: String {
  case gzip, deflate, br, zstd

  /// The maximum number of content codings, because each decoder needs memory.
  static let limit = 4

  /// Returns the decoders in the order of use; empty without a coding, or if a decoder is missing.
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
