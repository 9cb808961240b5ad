#if os(Linux)
import CCurl

/// The trailers of a request over HTTP/1.1.
enum CurlTrailers {
  typealias List = UnsafeMutablePointer<UnsafeMutablePointer<ccurl_slist>?>

  /// The maximum size in bytes; with more than 64 KiB, some versions of libcurl fail.
  private static let limit = 65_000

  static func refusal(of fields: HTTPHeaders) -> TransportError? {
    let size = fields.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard size > limit else { return nil }
    return TransportError(
      .invalidRequest, "the trailers of the request are longer than libcurl sends, \(size) bytes")
  }

  /// Appends the fields to a list that libcurl frees.
  ///
  /// Returns the error, if any.
  static func append(_ fields: HTTPHeaders?, to list: List) -> TransportError? {
    guard let fields else {
      return TransportError(.transport, "the body ended before its trailers were known")
    }
    if let refusal = refusal(of: fields) { return refusal }
    for field in fields.fields {
      // libcurl omits a line without a space after the colon.
      guard let longer = ccurl_list_append(list.pointee, "\(field.name): \(field.value)") else {
        return TransportError(.transport, "there is no memory for the trailers of the request")
      }
      list.pointee = longer
    }
    return nil
  }

  static func configure(_ handle: CurlHandle) {
    // libcurl before 8.7 keeps the state of sent trailers, and may corrupt the handle's next body.
    handle.spend()
    if handle.isSecure { handle.set(CCURLOPT_HTTP_VERSION, to: Int(CCURL_HTTP_VERSION_1_1)) }
    handle.note(
      ccurl_set_trailer_callback(
        handle.easy, CurlCallbacks.trailers, Unmanaged.passUnretained(handle).toOpaque()))
  }
}
#endif
