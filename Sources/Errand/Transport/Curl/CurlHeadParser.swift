#if os(Linux)
import Foundation

/// A parser of response heads and trailers.
///
/// libcurl delivers the lines separately.
struct CurlHeadParser {
  private enum Phase { case status, fields, finished }

  private enum FramingField {
    case contentLength, transferEncoding

    var name: StaticString {
      switch self {
      case .contentLength: "Content-Length"
      case .transferEncoding: "Transfer-Encoding"
      }
    }
  }

  private let limits: TransferLimits
  private var phase = Phase.status
  private var byteCount = 0
  private var fieldCount = 0
  private var informationalCount = 0
  private(set) var status = HTTPResponse.Status(0)
  private(set) var headers = HTTPHeaders()
  private(set) var trailers = HTTPHeaders()
  private(set) var contentLength: Int64?
  private let isHeadRequest: Bool
  /// The HTTP version times ten, such as 11; 0 before the first status line.
  private var version = 0
  private(set) var hasTransferEncoding = false
  private var hasContentLength = false
  private var framingFault: String?
  /// True if the last field was dropped because its name is not a token.
  private var isDropping = false

  private let informational: (@Sendable (HTTPResponse) -> Void)?
  private let repeated: RepeatedLines?

  /// `informational` receives the heads with status 1xx, except 100 and 101.
  init(
    _ limits: TransferLimits = TransferLimits(), isHeadRequest: Bool = false,
    informational: (@Sendable (HTTPResponse) -> Void)? = nil, repeated: RepeatedLines? = nil
  ) {
    self.limits = limits
    self.isHeadRequest = isHeadRequest
    self.informational = informational
    self.repeated = repeated
  }

  var isShared: Bool { version >= 20 }
  var mayBeShared: Bool { version == 0 || isShared }

  /// True if only the close of the connection marks the end of the body.
  var endsWithConnection: Bool {
    hasBody && !isShared && contentLength == nil && !hasTransferEncoding
  }

  var endsWithStream: Bool { isShared && hasBody && contentLength == nil }

  var promisedLength: Int64? { hasBody && !hasTransferEncoding ? contentLength : nil }

  private var hasBody: Bool { !isHeadRequest && status != 204 && status != 304 }

  var hasBegunHead: Bool { phase != .status }

  var isFinished: Bool { phase == .finished }

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

  /// Parses a status line such as `HTTP/1.1 200 OK`; the reason phrase is optional (RFC 9112 section 4).
  private mutating func startHead(_ line: UnsafeRawBufferPointer) throws {
    let digits = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
    guard Self.isStatusLine(line), digits.count == 3, digits.allSatisfy(ASCII.isDigit) else {
      throw TransportError(.invalidResponse, "the response does not start with a status line")
    }
    status = HTTPResponse.Status(digits.reduce(0) { $0 * 10 + Int($1) - 0x30 })
    version = Self.version(of: line)
    (hasTransferEncoding, hasContentLength, framingFault, isDropping) = (false, false, nil, false)
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
        .invalidResponse,
        "the server switches to another protocol (101), although the request did not ask for a switch")
    }
    if status.isInformational {
      informationalCount += 1
      if let limit = limits.informationalCount, informationalCount > limit {
        throw TransportError.exceeded(
          "the server sent more informational responses than", limit: "informationalCount",
          value: limit)
      }
      if status != 100 { informational?(HTTPResponse(status: status, headers: headers)) }
      phase = .status
      return false
    }
    if hasBody, hasTransferEncoding || framingFault != nil { try checkFraming() }
    contentLength = hasContentLength ? try Self.contentLength(in: headers) : nil
    (phase, isDropping) = (.finished, false)
    return true
  }

  private static func version(of line: UnsafeRawBufferPointer) -> Int {
    guard line.count > 5, ASCII.isDigit(line[5]) else { return 11 }
    let major = Int(line[5]) - 0x30
    guard line.count > 7, line[6] == 0x2E, ASCII.isDigit(line[7]) else { return major * 10 }
    return major * 10 + Int(line[7]) - 0x30
  }

  // MARK: Framing

  /// Adds a field line.
  ///
  /// Notes faults of `Content-Length` and `Transfer-Encoding` for ``checkFraming()``. libcurl may ignore a
  /// `Transfer-Encoding` that is folded or has a space before the colon.
  private mutating func add(_ line: UnsafeRawBufferPointer) {
    if let first = line.first, first | 0x20 == 0x63 || first | 0x20 == 0x74 || first <= 0x20 {
      addOfFraming(line)
    } else {
      addField(line)
    }
  }

  /// Adds a field line.
  ///
  /// Reuses the field if ``RepeatedLines`` has an equal line at the same position.
  @discardableResult
  private mutating func addField(_ line: UnsafeRawBufferPointer) -> Line {
    let index = headers.fields.count
    // The meaning of a line that starts with a space or tab depends on the preceding lines.
    guard let repeated, let first = line.first, !Self.isBlank(first) else {
      return Self.add(line, to: &headers, isDropping: &isDropping)
    }
    if let field = repeated.field(at: index, equalTo: line) {
      headers.fields.append(field)
      isDropping = false
      return .field
    }
    let kind = Self.add(line, to: &headers, isDropping: &isDropping)
    if headers.fields.count > index { repeated.keep(headers.fields[index], of: line, at: index) }
    return kind
  }

  private mutating func addOfFraming(_ line: UnsafeRawBufferPointer) {
    let kind = addField(line)
    let name = UnsafeRawBufferPointer(rebasing: line.drop { $0 <= 0x20 })
    switch kind {
    case .field:
      guard let field = Self.framing(name) else { return }
      switch field {
      case .contentLength: hasContentLength = true
      case .transferEncoding: hasTransferEncoding = true
      }
      if name.count < line.count || name[field.name.utf8CodeUnitCount] != 0x3A {
        framingFault = "the response's \(field.name) has a space before its colon"
      }
    case .continuation:
      guard var last = headers.fields.last?.name,
        let field = last.withUTF8({ Self.framing(UnsafeRawBufferPointer($0)) })
      else { return }
      framingFault = "the response's \(field.name) continues on a second line"
    case .other: return
    }
  }

  private static func framing(_ field: UnsafeRawBufferPointer) -> FramingField? {
    guard field.count >= 14 else { return nil }
    if field[8] | 0x20 == 0x6C, begins(field, with: .contentLength) { return .contentLength }
    return field[9] | 0x20 == 0x65 && begins(field, with: .transferEncoding) ? .transferEncoding : nil
  }

  private static func begins(_ field: UnsafeRawBufferPointer, with framing: FramingField) -> Bool {
    let length = framing.name.utf8CodeUnitCount
    guard let bytes = field.baseAddress, field.count >= length,
      strncasecmp(bytes, framing.name.utf8Start, length) == 0
    else { return false }
    return field.count == length || field[length] == 0x3A || field[length] <= 0x20 || field[length] == 0x7F
  }

  /// Throws for malformed framing fields.
  ///
  /// A `Transfer-Encoding` must be `chunked`, and is invalid in HTTP/1.0 or together with `Content-Length`.
  private func checkFraming() throws {
    if let framingFault { throw TransportError(.invalidResponse, framingFault) }
    let values = headers.values(for: "Transfer-Encoding")
    if version == 10 {
      throw TransportError(
        .invalidResponse, "the response has a Transfer-Encoding, which HTTP/1.0 does not define")
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
      "the response's Transfer-Encoding is \(value.prefix(80)), but only chunked is supported")
  }

  private enum Line {
    case field
    case continuation
    case other
  }

  /// Adds a line to the fields.
  ///
  /// A line that starts with a space or tab continues the last field (RFC 9112 section 5.2).
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

  /// Returns the line without its ending.
  ///
  /// Throws for a carriage return inside the line, because recipients could read the carriage return as the
  /// end of the line (RFC 9112 section 2.2).
  private static func content(of line: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
    let end = index(of: 0x0D, in: line) ?? index(of: 0x0A, in: line) ?? line.count
    guard line.count - end <= 2, end + 1 >= line.count || line[end + 1] == 0x0A else {
      throw TransportError(.invalidResponse, "a line of the head of the response contains a carriage return")
    }
    return UnsafeRawBufferPointer(rebasing: line[..<end])
  }

  private static func index(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let place = memchr(start, Int32(byte), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(place) - start
  }

  private static func trimmed(
    _ line: UnsafeRawBufferPointer, from start: Int, to end: Int
  ) -> UnsafeRawBufferPointer {
    var (start, end) = (start, end)
    while start < end, isBlank(line[start]) { start += 1 }
    while start < end, isBlank(line[end - 1]) { end -= 1 }
    return UnsafeRawBufferPointer(rebasing: line[start..<end])
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Returns the length in bytes.
  ///
  /// Throws for an invalid value or conflicting values (RFC 9112 section 6.3).
  private static func contentLength(in headers: HTTPHeaders) throws -> Int64? {
    guard let value = headers["Content-Length"] else { return nil }
    if value.utf8.allSatisfy(ASCII.isDigit), let length = Int64(value) { return length }
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
