import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLRequest {
  /// The message of a transfer, whose body is sent from memory where it is there.
  init(_ transfer: TransportRequest, bodyOf upload: TransferUpload) {
    let request = transfer.request
    // The time is far above ours: Foundation's counts whole seconds, and the wait for a connection.
    self.init(
      url: request.url, cachePolicy: .reloadIgnoringLocalCacheData,
      timeoutInterval: URLSessionConfiguration.longTime)
    httpMethod = request.method.token
    allHTTPHeaderFields = request.headers.joined
    restrict(to: transfer.networkAccess)
    switch upload {
    // A session sends no trailers, and was not asked to.
    case .none, .zeroLength, .trailed: break
    case .data(let data): httpBody = data
    case .stream(_, let length):
      // A system that is given a stream sends chunks, unless it is told the length.
      if SessionPlatform.streamsBodies, let length {
        setValue(String(length), forHTTPHeaderField: "Content-Length")
      }
    }
  }

  /// Leaves out networks that it may not go over, as far as the system can.
  mutating func restrict(to access: NetworkAccess) {
    guard access != .all else { return }
    allowsCellularAccess = access.contains(.cellular)
    SessionPlatform.restrict(&self, to: access)
  }
}

extension TransferLimits {
  /// Which of the limits of a head is broken, if one is; fields are counted as Foundation gives them, joined by name.
  func breach(by headers: HTTPHeaders) -> TransportError? {
    if let headerCount, headers.fields.count > headerCount {
      return .exceeded("the response has more header fields than", limit: "headerCount", value: headerCount)
    }
    let size = headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard let headSize, size > headSize else { return nil }
    return .exceeded(
      "the head of the response is longer than", limit: "headSize", value: headSize, unit: "bytes")
  }

  /// The name of a limit that was set and that a session cannot keep.
  var unkeptBySessions: String? {
    let standard = TransferLimits()
    let asked: [(String, Bool)] = [
      ("informationalCount", informationalCount != nil && informationalCount != standard.informationalCount),
      ("decodedSize", decodedSize != nil),
      ("decodedRatio", decodedRatio != nil && decodedRatio != standard.decodedRatio),
      ("connectTimeout", connectTimeout != nil && connectTimeout != standard.connectTimeout),
    ]
    return asked.first { $0.1 }?.0
  }
}

extension HTTPHeaders {
  /// One value a name, those of one name in one (RFC 9110 section 5.3; of cookies RFC 6265 section 5.4); the first spelling of a name
  /// is kept.
  var joined: [String: String] {
    var joined = [String: String](minimumCapacity: fields.count)
    for (index, field) in fields.enumerated()
    where !fields[..<index].contains(where: { Self.same($0.name, field.name) }) {
      let isCookie = Self.same(field.name, "cookie")
      joined[field.name] = isCookie ? values(for: field.name).joined(separator: "; ") : self[field.name]
    }
    return joined
  }

  /// The same with each cookie in a field of its own: Foundation joins fields of one name, and a cookie may have a comma in it.
  var withSeparateCookies: HTTPHeaders {
    HTTPHeaders(
      fields.flatMap { field -> [Field] in
        guard field.name.lowercased() == "set-cookie" else { return [field] }
        return Self.cookies(in: field.value).map { Field(name: field.name, value: $0) }
      })
  }

  /// Cuts where a comma is followed by a name and `=`: the comma of a date is followed by a day.
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
