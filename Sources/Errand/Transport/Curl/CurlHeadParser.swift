#if os(Linux)
import Foundation

/// Makes heads of the lines libcurl gives one by one.
struct CurlHeadParser {
  private enum Phase { case status, fields, finished }

  /// A field that tells where the body ends.
  private enum FramingField {
    case contentLength, transferEncoding

    /// As it is written in errors.
    var name: StaticString {
      switch self {
      case .contentLength: "Content-Length"
      case .transferEncoding: "Transfer-Encoding"
      }
    }
  }

  /// A server could go on for ever.
  private let limits: TransferLimits
  private var phase = Phase.status
  private var byteCount = 0
  private var fieldCount = 0
  private var informationalCount = 0
  private(set) var status = HTTPResponse.Status(0)
  private(set) var headers = HTTPHeaders()
  private(set) var trailers = HTTPHeaders()
  /// The length that the final head names, which is not the body's where there is none.
  private(set) var contentLength: Int64?
  /// Whether the answer to the request has no body, whatever its head says.
  private let isHead: Bool
  /// The last status line's version: 0 before the first, 10 for HTTP/1.0, and so on.
  private var version = 0
  private(set) var hasTransferEncoding = false
  private var hasContentLength = false
  /// What is wrong with a field that frames the body.
  private var fault: String?
  /// Whether the last field was dropped, as its name is no token; what continues it is dropped too.
  private var isDropping = false

  /// Who wants to know of informational heads.
  private let informational: (@Sendable (HTTPResponse) -> Void)?

  /// - Parameters:
  ///   - isHead: whether the request is a HEAD.
  ///   - informational: gets each informational head but those of 100 and 101.
  init(
    _ limits: TransferLimits = TransferLimits(), isHead: Bool = false,
    informational: (@Sendable (HTTPResponse) -> Void)? = nil
  ) {
    self.limits = limits
    self.isHead = isHead
    self.informational = informational
  }

  /// Whether it came over a connection that others share, as with HTTP/2.
  var isShared: Bool { version >= 20 }
  /// The same as long as nothing has come.
  var mayBeShared: Bool { version == 0 || isShared }

  /// Whether the body ends with the connection, as nothing else tells its end.
  var endsWithConnection: Bool {
    hasBody && !isShared && contentLength == nil && !hasTransferEncoding
  }

  /// True if the body ends with its HTTP/2 stream, as nothing else tells its end.
  var endsWithStream: Bool { isShared && hasBody && contentLength == nil }

  /// How long the body has to be; `nil` where there is none, or where its own framing tells its end.
  var promisedLength: Int64? { hasBody && !hasTransferEncoding ? contentLength : nil }

  private var hasBody: Bool { !isHead && status != 204 && status != 304 }

  /// True after the first line of a head, up to the end of an informational one.
  var hasBegunFinalHead: Bool { phase != .status }

  /// Whether the final head is complete; lines that come later are trailers.
  var isFinished: Bool { phase == .finished }

  /// Takes a line with its end; `true` when it was the last one of the final head.
  mutating func take(_ line: UnsafeRawBufferPointer) throws -> Bool {
    byteCount += line.count
    if let limit = limits.headSize, byteCount > limit {
      throw TransportError.exceeded(
        "the head of the response is longer than", limit: "headSize", value: limit, unit: "bytes")
    }
    let content = try Self.content(of: line)
    switch phase {
    case .status:
      try startHead(content)
    case .fields where content.isEmpty:
      return try endHead()
    case .fields:
      try countField()
      add(content)
    case .finished where content.isEmpty: break
    case .finished:
      try countField()
      Self.add(content, to: &trailers, isDropping: &isDropping)
    }
    return false
  }

  private mutating func countField() throws {
    fieldCount += 1
    if let limit = limits.headerCount, fieldCount > limit {
      throw TransportError.exceeded(
        "the response has more header fields than", limit: "headerCount", value: limit)
    }
  }

  /// Reads the status line: `HTTP/1.1 200 OK`, where the phrase may be missing (RFC 9112 section 4).
  private mutating func startHead(_ line: UnsafeRawBufferPointer) throws {
    let digits = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
    guard Self.isStatusLine(line), digits.count == 3, digits.allSatisfy(ASCII.isDigit) else {
      throw TransportError(.invalidResponse, "the response does not start with a status line")
    }
    status = HTTPResponse.Status(digits.reduce(0) { $0 * 10 + Int($1) - 0x30 })
    version = Self.version(of: line)
    (hasTransferEncoding, hasContentLength, fault, isDropping) = (false, false, nil, false)
    headers = HTTPHeaders()
    headers.fields.reserveCapacity(16)
    phase = .fields
  }

  static func isStatusLine(_ line: UnsafeRawBufferPointer) -> Bool {
    let start: StaticString = "HTTP/"
    guard let bytes = line.baseAddress, line.count >= start.utf8CodeUnitCount else { return false }
    return memcmp(bytes, start.utf8Start, start.utf8CodeUnitCount) == 0
  }

  private mutating func endHead() throws -> Bool {
    if status == 101 {
      throw TransportError(
        .invalidResponse, "the server switches to another protocol, which nobody asked it for")
    }
    if status.isInformational {
      informationalCount += 1
      if let limit = limits.informationalCount, informationalCount > limit {
        throw TransportError.exceeded(
          "more informational responses came before the final one than", limit: "informationalCount",
          value: limit)
      }
      if status != 100 { informational?(HTTPResponse(status: status, headers: headers)) }
      phase = .status
      return false
    }
    if hasBody, hasTransferEncoding || fault != nil { try checkFraming() }
    contentLength = hasContentLength ? try Self.contentLength(in: headers) : nil
    (phase, isDropping) = (.finished, false)
    return true
  }

  /// `HTTP/1.0` is 10, and `HTTP/2` is 20.
  private static func version(of line: UnsafeRawBufferPointer) -> Int {
    guard line.count > 5, ASCII.isDigit(line[5]) else { return 11 }
    let major = Int(line[5]) - 0x30
    guard line.count > 7, line[6] == 0x2E, ASCII.isDigit(line[7]) else { return major * 10 }
    return major * 10 + Int(line[7]) - 0x30
  }

  // MARK: Framing

  /// Adds a line of the head, and notes what it does to the framing of the body.
  ///
  /// libcurl takes neither a folded `Transfer-Encoding` nor one with a blank before its colon for one; others may.
  private mutating func add(_ line: UnsafeRawBufferPointer) {
    // Each field comes here, and few begin like those that frame a body, or with a blank or a control character.
    if let first = line.first, first | 0x20 == 0x63 || first | 0x20 == 0x74 || first <= 0x20 {
      addOfFraming(line)
    } else {
      Self.add(line, to: &headers, isDropping: &isDropping)
    }
  }

  private mutating func addOfFraming(_ line: UnsafeRawBufferPointer) {
    let kind = Self.add(line, to: &headers, isDropping: &isDropping)
    let name = UnsafeRawBufferPointer(rebasing: line.drop { $0 <= 0x20 })
    switch kind {
    case .field:
      guard let field = Self.framing(name) else { return }
      switch field {
      case .contentLength: hasContentLength = true
      case .transferEncoding: hasTransferEncoding = true
      }
      if name.count < line.count || name[field.name.utf8CodeUnitCount] != 0x3A {
        fault = "the response's \(field.name) has a blank before its colon"
      }
    case .continuation:
      guard var last = headers.fields.last?.name,
        let field = last.withUTF8({ Self.framing(UnsafeRawBufferPointer($0)) })
      else { return }
      fault = "the response's \(field.name) goes on in a second line"
    case .other: return
    }
  }

  /// - Parameter field: a name, with whatever follows.
  private static func framing(_ field: UnsafeRawBufferPointer) -> FramingField? {
    guard field.count >= 14 else { return nil }
    // The letters by which they differ from their like, such as Content-Type.
    if field[8] | 0x20 == 0x6C, begins(field, with: .contentLength) { return .contentLength }
    return field[9] | 0x20 == 0x65 && begins(field, with: .transferEncoding) ? .transferEncoding : nil
  }

  private static func begins(_ field: UnsafeRawBufferPointer, with framing: FramingField) -> Bool {
    let length = framing.name.utf8CodeUnitCount
    guard let bytes = field.baseAddress, field.count >= length,
      strncasecmp(bytes, framing.name.utf8Start, length) == 0
    else { return false }
    // A blank, or a control character, which some take for one.
    return field.count == length || field[length] == 0x3A || field[length] <= 0x20 || field[length] == 0x7F
  }

  /// Accepts one `chunked` and nothing else: no other transfer coding was asked for (RFC 9112 section 7.4), and where the
  /// body ends must not depend on who reads it.
  private func checkFraming() throws {
    if let fault { throw TransportError(.invalidResponse, fault) }
    let values = headers.values(for: "Transfer-Encoding")
    if version == 10 {
      throw TransportError(
        .invalidResponse, "the response has a Transfer-Encoding in HTTP/1.0, which knows none")
    }
    if hasContentLength {
      throw TransportError(.invalidResponse, "the response has both Transfer-Encoding and Content-Length")
    }
    if values.count > 1 {
      throw TransportError(.invalidResponse, "the response has \(values.count) Transfer-Encoding fields")
    }
    guard let value = values.first, value.lowercased() != "chunked" else { return }
    throw TransportError(
      .invalidResponse,
      "the response's Transfer-Encoding is \(value.prefix(80)), where only chunked was asked for")
  }

  private enum Line {
    /// It has a name and a colon, whatever the name is.
    case field
    /// It continues the last field.
    case continuation
    /// It has no colon, or continues what was dropped.
    case other
  }

  /// Adds `Name: value`, where the blank after the colon is optional.
  ///
  /// A line that starts with a blank continues the last one (RFC 9112 section 5.2). A field whose name is no token (RFC 9110 section 5.1), but
  /// for blanks around it, is dropped with all its lines.
  @discardableResult
  private static func add(
    _ line: UnsafeRawBufferPointer, to headers: inout HTTPHeaders, isDropping: inout Bool
  ) -> Line {
    guard let first = line.first else { return .other }
    if isBlank(first), isDropping { return .other }
    if isBlank(first), let last = headers.fields.indices.last {
      headers.fields[last].value += " " + HTTPHeaders.decode(trimmed(line, from: 0, to: line.count))
      return .continuation
    }
    var colon = HTTPHeaders.tokenLength(line)
    var name = UnsafeRawBufferPointer(rebasing: line[..<colon])
    if colon > 0, colon < line.count, line[colon] == 0x3A {
      isDropping = false
    } else {
      guard let place = index(of: 0x3A, in: line) else { return .other }
      (colon, name) = (place, trimmed(line, from: 0, to: place))
      isDropping = !HTTPHeaders.isToken(name)
    }
    if !isDropping {
      headers.fields.append(
        HTTPHeaders.Field(
          name: String(decoding: name, as: UTF8.self),
          received: trimmed(line, from: colon + 1, to: line.count)))
    }
    return .field
  }

  /// The line without its end; a carriage return anywhere else could end it for others (RFC 9112 section 2.2).
  private static func content(of line: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
    let end = index(of: 0x0D, in: line) ?? index(of: 0x0A, in: line) ?? line.count
    guard line.count - end <= 2, end + 1 >= line.count || line[end + 1] == 0x0A else {
      throw TransportError(.invalidResponse, "a line of the head of the response has a carriage return in it")
    }
    return UnsafeRawBufferPointer(rebasing: line[..<end])
  }

  private static func index(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let place = memchr(start, Int32(byte), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(place) - start
  }

  /// A piece of the line without the blanks around it.
  private static func trimmed(
    _ line: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) -> UnsafeRawBufferPointer {
    var (start, end) = (start, end)
    while start < end, isBlank(line[start]) { start += 1 }
    while start < end, isBlank(line[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: line[start..<end])
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Repeated equal values count as one; different ones could hide a second response (RFC 9112 section 6.3).
  private static func contentLength(in headers: HTTPHeaders) throws -> Int64? {
    guard let value = headers["Content-Length"] else { return nil }
    if let length = Int64(value), length >= 0, value.utf8.first != 0x2B { return length }
    let lengths = value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
    guard Set(lengths).count <= 1 else {
      throw TransportError(.invalidResponse, "the response has conflicting Content-Length values: \(value)")
    }
    guard let first = lengths.first, !first.isEmpty, first.utf8.allSatisfy(ASCII.isDigit) else {
      throw TransportError(.invalidResponse, "the response's Content-Length is not a number: \(value)")
    }
    guard let length = Int64(first) else {
      throw TransportError(.invalidResponse, "the response's Content-Length is too large")
    }
    return length
  }
}
#endif
