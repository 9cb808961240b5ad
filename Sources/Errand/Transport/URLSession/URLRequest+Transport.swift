import Foundation

#if canImport(FoundationNetworking)
package import FoundationNetworking
#endif

extension URLRequest {
  init(_ transfer: TransportRequest, bodyOf upload: TransferUpload) {
    let request = transfer.request
    // A long time, so that Foundation does not end the transfer before Errand's own timeout.
    self.init(
      url: request.url, cachePolicy: .reloadIgnoringLocalCacheData,
      timeoutInterval: URLSessionConfiguration.longTime)
    httpMethod = request.method.token
    allHTTPHeaderFields = request.headers.joined
    restrict(to: transfer.networkAccess)
    switch upload {
    // The transport has already refused requests with trailers.
    case .none, .zeroLength, .trailed: break
    case .data(let data): httpBody = data
    case .stream(_, let length):
      // With a stream, the system sends no length unless `Content-Length` is set.
      if SessionPlatform.streamsBodies, let length {
        setValue(String(length), forHTTPHeaderField: "Content-Length")
      }
    }
  }

  package mutating func restrict(to access: NetworkAccess) {
    guard access != .all else { return }
    allowsCellularAccess = access.contains(.cellular)
    SessionPlatform.restrict(&self, to: access)
  }
}

extension TransferLimits {
  /// Returns the error if the headers exceed a limit.
  ///
  /// Fields that Foundation has joined usually count once.
  func breach(by headers: HTTPHeaders) -> TransportError? {
    if let headerCount, headers.fields.count > headerCount {
      return .exceeded("the response has more header fields than", limit: "headerCount", value: headerCount)
    }
    let size = headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard let headSize, size > headSize else { return nil }
    return .exceeded(
      "the head of the response is longer than", limit: "headSize", value: headSize, unit: "bytes")
  }

  var unsupportedBySessions: String? {
    let standard = TransferLimits()
    let asked: [(String, Bool)] = [
      ("informationalCount", informationalCount != nil && informationalCount != standard.informationalCount),
      ("decodedSize", decodedSize != nil), ("maximumReceiveRate", maximumReceiveRate != nil),
      ("maximumSendRate", maximumSendRate != nil), ("expectContinueSize", expectContinueSize != nil),
      ("decodedRatio", decodedRatio != nil && decodedRatio != standard.decodedRatio),
      ("connectTimeout", connectTimeout != nil && connectTimeout != standard.connectTimeout),
    ]
    return asked.first { $0.1 }?.0
  }
}

extension HTTPHeaders {
  /// The fields by name.
  ///
  /// Values of the same name are joined with `, ` (RFC 9110 section 5.3), and `Cookie` values with `; ` (RFC
  /// 6265 section 5.4).
  var joined: [String: String] {
    var joined = [String: String](minimumCapacity: fields.count)
    for (index, field) in fields.enumerated()
    where !fields[..<index].contains(where: { Self.same($0.name, field.name) }) {
      let isCookie = Self.same(field.name, "cookie")
      joined[field.name] = isCookie ? values(for: field.name).joined(separator: "; ") : self[field.name]
    }
    return joined
  }

  /// The fields with separate `Set-Cookie` values.
  ///
  /// Foundation joins the values by commas.
  var withSeparateCookies: HTTPHeaders {
    HTTPHeaders(
      fields.flatMap { field -> [Field] in
        guard field.name.lowercased() == "set-cookie" else { return [field] }
        return Self.cookies(in: field.value).map { Field(name: field.name, value: $0) }
      })
  }

  /// Splits a joined `Set-Cookie` value at each comma that is followed by a name and `=`.
  private static func cookies(in value: String) -> [String] {
    var cookies: [String] = []
    for piece in value.split(separator: ",", omittingEmptySubsequences: false) {
      let text = piece.drop { $0 == " " || $0 == "\t" }
      let name = text.prefix { $0 != "=" && $0 != ";" }
      let begins = text.dropFirst(name.count).first == "=" && HTTPMethod(String(name)).isToken
      if begins || cookies.isEmpty {
        cookies.append(String(cookies.isEmpty ? piece : text))
      } else {
        cookies[cookies.count - 1] += ",\(piece)"
      }
    }
    return cookies
  }
}
