import Errand
import Foundation

/// An HTTP/1 request (RFC 9112), complete or partially parsed.
struct RequestMessage: Sendable {
  enum Framing {
    case length(Int)
    case chunked
  }

  let method: String
  let target: String
  let isVersion10: Bool
  var headers: HTTPHeaders = [:]
  var body = Data()
  var trailers: HTTPHeaders = [:]

  init(requestLine line: ArraySlice<UInt8>) throws(MalformedRequest) {
    let text = HTTPHeaders.decode(line)
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, Self.isToken(parts[0]), !parts[1].isEmpty, parts[2].hasPrefix("HTTP/1.") else {
      throw MalformedRequest("invalid request line: \(text.prefix(80).debugDescription)")
    }
    method = String(parts[0])
    target = String(parts[1])
    isVersion10 = parts[2] == "HTTP/1.0"
  }

  static func field(_ line: ArraySlice<UInt8>) throws(MalformedRequest) -> HTTPHeaders.Field {
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    guard let colon, case let name = HTTPHeaders.decode(line[..<colon]), isToken(name[...]) else {
      throw MalformedRequest("invalid header line: \(HTTPHeaders.decode(line).prefix(80).debugDescription)")
    }
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var value = line[(colon + 1)...].drop(while: isBlank)
    while let last = value.last, isBlank(last) { value.removeLast() }
    // A bare CR (RFC 9112 section 2.2) and NUL (RFC 9110 section 5.5) are invalid.
    guard !value.contains(where: { $0 == 0x0D || $0 == 0 }) else {
      throw MalformedRequest("invalid header line: \(HTTPHeaders.decode(line).prefix(80).debugDescription)")
    }
    return HTTPHeaders.Field(name: name, received: value)
  }

  func framing() throws(MalformedRequest) -> Framing {
    if !isVersion10, headers.values(for: "Host").count != 1 {
      throw MalformedRequest("the request must have exactly one Host header")
    }
    let lengths = Set(headers.values(for: "Content-Length"))
    if let coding = headers["Transfer-Encoding"] {
      guard coding.lowercased() == "chunked", lengths.isEmpty else {
        throw MalformedRequest("invalid transfer coding: \(coding.debugDescription)")
      }
      return .chunked
    }
    guard let written = lengths.first else { return .length(0) }
    guard lengths.count == 1, written.utf8.allSatisfy(Self.isDigit), let length = Int(written) else {
      let list = lengths.sorted().joined(separator: ", ")
      throw MalformedRequest("invalid content length: \(list.debugDescription)")
    }
    return .length(length)
  }

  /// True if the client may wait for status 100 before sending the body (RFC 9110 section 10.1.1).
  var expectsContinue: Bool { !isVersion10 && headers["Expect"]?.lowercased() == "100-continue" }

  /// True if the client wants no further answer on the connection (RFC 9112 section 9.3).
  var wantsClose: Bool {
    let options = headers.connectionOptions
    return options.contains("close") || (isVersion10 && !options.contains("keep-alive"))
  }

  private static func isToken(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !separators.contains($0) }
  }

  private static let separators = Set(#""(),/:;<=>?@[\]{}"#.utf8)

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
}

extension HTTPHeaders {
  /// The lowercase options of `Connection` (RFC 9110 section 7.6.1).
  var connectionOptions: [Substring] {
    values(for: "Connection").flatMap { $0.lowercased().split { ", \t".contains($0) } }
  }
}
