import Foundation

/// Parses an event stream from chunks (HTML standard, sections 9.2.5 and 9.2.6).
struct EventParser {
  static let longestRetry = Duration.seconds(3600)

  /// The last `id` followed by a blank line; at first, the id given to the initializer.
  private(set) var lastEventID: String
  /// The last `retry` time, at most 1 hour; `nil` if the server sent no valid time.
  private(set) var reconnectionTime: Duration?

  private let limit: Int
  private let link: RedactionSource
  private var lines: LineSplitter
  private var data: [UInt8] = []
  private var type = ""
  private var id: String
  private var retry: Duration?

  init(after lastEventID: String = "", limit: Int, link: RedactionSource = RedactionSource()) {
    self.lastEventID = lastEventID
    self.limit = limit
    self.link = link
    id = lastEventID
    lines = LineSplitter(.any, limit: limit)
  }

  /// Adds a chunk.
  ///
  /// Call only after ``next()`` has returned `nil` for the previous chunk.
  mutating func feed(_ bytes: Data) { lines.feed(bytes) }

  /// Returns the next event; `nil` if the chunk has no further complete event.
  mutating func next() throws -> ServerSentEvent? {
    while let line = try lines.next() {
      if !line.isEmpty {
        try take(line)
      } else if let event = complete() {
        return event
      }
    }
    return nil
  }

  private mutating func take(_ line: ArraySlice<UInt8>) throws {
    let name = line.prefix { $0 != UInt8(ascii: ":") }
    if name.isEmpty { return }
    var value = line[name.endIndex...].dropFirst()
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    if name.elementsEqual("data".utf8) {
      guard data.count + value.count <= limit else {
        throw Refusal("an event is longer than its limit, \(limit) bytes", kind: .limitExceeded)
      }
      data += value
      data.append(0x0A)
    } else if name.elementsEqual("event".utf8) {
      type = String(decoding: value, as: UTF8.self)
    } else if name.elementsEqual("id".utf8) {
      if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
    } else if name.elementsEqual("retry".utf8), let time = Self.time(value) {
      retry = time
      reconnectionTime = time
    }
  }

  /// Ends an event at a blank line; returns `nil` for an event without a `data` line.
  private mutating func complete() -> ServerSentEvent? {
    lastEventID = id
    defer { (data, type, retry) = ([], "", nil) }
    guard !data.isEmpty else { return nil }
    var event = ServerSentEvent(
      String(decoding: data.dropLast(), as: UTF8.self), event: type.isEmpty ? "message" : type,
      id: id.isEmpty ? nil : id, retry: retry)
    event.link = link
    return event
  }

  /// Reads a number of milliseconds, shortened to 1 hour; returns `nil` for text other than digits.
  private static func time(_ digits: ArraySlice<UInt8>) -> Duration? {
    guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    let significant = digits.drop { $0 == 0x30 }
    guard significant.count <= 9 else { return longestRetry }
    let milliseconds = significant.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return min(.milliseconds(milliseconds), longestRetry)
  }
}

final class BodyEvents: ElementSource {
  private let response: StreamedResponse
  private var chunks: BodyStream.Iterator
  private(set) var parser: EventParser

  init(_ response: StreamedResponse, after lastEventID: String = "", limit: Int) {
    self.response = response
    chunks = response.body.makeAsyncIterator()
    parser = EventParser(after: lastEventID, limit: limit, link: response.head.link)
  }

  func next() async throws -> ServerSentEvent? {
    while true {
      do {
        if let event = try parser.next() { return event }
      } catch {
        throw response.error(error)
      }
      guard let chunk = try await chunks.next() else { return nil }
      parser.feed(chunk)
    }
  }
}
