#if os(Linux)
import Foundation

/// Makes heads of the lines libcurl gives one by one.
struct CurlHeadParser {
  private enum Phase { case status, fields, finished }

  /// A server could go on for ever.
  private let limits: TransferLimits
  private var phase = Phase.status
  private var byteCount = 0
  private var fieldCount = 0
  private var informationalCount = 0
  private(set) var status = HTTPStatus(0)
  private(set) var headers = HTTPHeaders()
  private(set) var trailers = HTTPHeaders()
  /// The promised length of the body, when the final head has one.
  private(set) var contentLength: Int64?

  init(_ limits: TransferLimits = TransferLimits()) { self.limits = limits }

  /// Whether the final head is complete; lines that come later are trailers.
  var isFinished: Bool { phase == .finished }

  /// Takes a line with its end; `true` when it was the last one of the final head.
  mutating func take(_ line: UnsafeRawBufferPointer) throws -> Bool {
    byteCount += line.count
    if let limit = limits.headSize, byteCount > limit {
      throw TransportError.exceeded(
        "the head of the response is longer than", "headSize", limit, "bytes")
    }
    let content = Self.content(of: line)
    switch phase {
    case .status:
      try startHead(content)
    case .fields where content.isEmpty:
      return try endHead()
    case .fields:
      try countField()
      Self.add(content, to: &headers)
    case .finished where content.isEmpty: break
    case .finished:
      try countField()
      Self.add(content, to: &trailers)
    }
    return false
  }

  private mutating func countField() throws {
    fieldCount += 1
    if let limit = limits.headerCount, fieldCount > limit {
      throw TransportError.exceeded("the response has more header fields than", "headerCount", limit)
    }
  }

  /// Reads the status line: `HTTP/1.1 200 OK`, where the phrase may be missing (RFC 9112 section 4).
  private mutating func startHead(_ line: UnsafeRawBufferPointer) throws {
    let digits = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
    guard Self.isStatusLine(line), digits.count == 3, digits.allSatisfy(ASCII.isDigit) else {
      throw TransportError(.invalidResponse, "the response does not start with a status line")
    }
    status = HTTPStatus(digits.reduce(0) { $0 * 10 + Int($1) - 0x30 })
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
    if status.isInformational && status != 101 {
      informationalCount += 1
      if let limit = limits.informationalCount, informationalCount > limit {
        throw TransportError.exceeded(
          "more informational responses came before the final one than", "informationalCount", limit)
      }
      phase = .status
      return false
    }
    contentLength = try Self.contentLength(in: headers)
    phase = .finished
    return true
  }

  /// Adds `Name: value`, where the blank after the colon is optional.
  ///
  /// A line that starts with a blank continues the last one (RFC 9112 section 5.2).
  private static func add(_ line: UnsafeRawBufferPointer, to headers: inout HTTPHeaders) {
    guard let first = line.first else { return }
    if isBlank(first), let last = headers.fields.indices.last {
      headers.fields[last].value += " " + text(line, from: 0, to: line.count)
    } else if let colon = index(of: 0x3A, in: line) {
      headers.add(text(line, from: 0, to: colon), text(line, from: colon + 1, to: line.count))
    }
  }

  /// The line without its end.
  private static func content(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let end = index(of: 0x0D, in: line) ?? index(of: 0x0A, in: line) ?? line.count
    return UnsafeRawBufferPointer(rebasing: line[..<end])
  }

  private static func index(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
    guard let start = bytes.baseAddress, let place = memchr(start, Int32(byte), bytes.count) else {
      return nil
    }
    return UnsafeRawPointer(place) - start
  }

  /// A piece of the line without the blanks around it.
  private static func text(_ line: UnsafeRawBufferPointer, from start: Int, to end: Int) -> String {
    var (start, end) = (start, end)
    while start < end, isBlank(line[start]) { start += 1 }
    while start < end, isBlank(line[end - 1]) { end -= 1 }
    return HTTPHeaders.decode(UnsafeRawBufferPointer(rebasing: line[start..<end]))
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// Repeated equal values count as one; different ones could hide a second response (RFC 9112 section 6.3).
  private static func contentLength(in headers: HTTPHeaders) throws -> Int64? {
    guard let value = headers["Content-Length"] else { return nil }
    if let length = Int64(value), length >= 0, value.utf8.first != 0x2B { return length }
    let lengths = value.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } }
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
