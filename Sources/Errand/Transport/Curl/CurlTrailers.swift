#if os(Linux)
import CCurl

/// The trailers of a request as libcurl takes them, which sends them behind the last chunk of HTTP/1.1, and nowhere else.
enum CurlTrailers {
  typealias List = UnsafeMutablePointer<UnsafeMutablePointer<ccurl_slist>?>

  /// libcurl sends 64 KiB with all line ends, and makes a lack of memory of more.
  private static let limit = 65_000

  /// Why they cannot be sent; `nil` where they can.
  static func refusal(of fields: HTTPHeaders) -> TransportError? {
    let size = fields.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard size > limit else { return nil }
    return TransportError(
      .invalidRequest, "the trailers of the request are longer than libcurl sends, \(size) bytes")
  }

  /// Adds them to a list of libcurl's, which frees it; why that could not be, or `nil`.
  static func append(_ fields: HTTPHeaders?, to list: List) -> TransportError? {
    guard let fields else {
      return TransportError(.transport, "the body ended before its trailers were known")
    }
    if let refusal = refusal(of: fields) { return refusal }
    for field in fields.fields {
      // A line without the blank behind the colon is left out by libcurl.
      guard let longer = ccurl_list_append(list.pointee, "\(field.name): \(field.value)") else {
        return TransportError(.transport, "there is no memory for the trailers of the request")
      }
      list.pointee = longer
    }
    return nil
  }

  /// Has libcurl ask for the trailers of a transfer, over a connection that carries them.
  static func configure(_ handle: CurlHandle) {
    // libcurl before 8.7 remembers that it has sent trailers, and writes the next chunks to the wrong place.
    handle.spend()
    // Over HTTP/2 libcurl leaves them out without a word.
    if handle.isSecure { handle.set(CCURLOPT_HTTP_VERSION, to: Int(CCURL_HTTP_VERSION_1_1)) }
    handle.note(
      ccurl_set_trailer_callback(
        handle.easy, CurlCallbacks.trailers, Unmanaged.passUnretained(handle).toOpaque()))
  }
}
#endif
