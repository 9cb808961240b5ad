public import ErrandJSON
import Foundation

/// An event of an event stream (HTML standard, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
  /// The data, with line feeds between lines.
  public var data: String
  /// The type of the event; `message` if the server names no type.
  public var event: String
  /// The last `id` up to the event; `nil` if empty or absent.
  public var id: String?
  /// The reconnection delay in the event; `nil` if the event sets no delay.
  public var retry: Duration?

  var link = RedactionSource()

  /// Creates an event, for tests.
  public init(_ data: String, event: String = "message", id: String? = nil, retry: Duration? = nil) {
    self.data = data
    self.event = event
    self.id = id
    self.retry = retry
  }

  /// Decodes the data as JSON.
  ///
  /// ```swift
  /// for try await event in agent.serverSentEvents(of: .get("users/new")) where event.event == "user" {
  ///   print(try event.decode(User.self).name)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - coding: The JSON coding; `nil` means the coding of the event's request or agent, if any.
  /// - Throws: ``RequestError`` of kind ``RequestError/Kind/decoding``.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, by coding: JSONCoding? = nil
  ) throws -> Value {
    let text = Data(data.utf8)
    do {
      return try (coding?.reader ?? link.jsonReader).decode(from: text)
    } catch {
      var reason = "\(error)"
      if let error = error as? DecodingError { reason = error.explained(by: text, as: "the data").clause }
      var refused = RequestError(
        .decoding, "the data of an event of type \(event) cannot be decoded: \(reason)", stage: .decode,
        cause: error)
      refused.isElementFailure = true
      if let dispatched = link.dispatched as? RequestContext.Dispatched { refused.belong(to: dispatched) }
      throw refused
    }
  }

  package var wireText: String {
    var text = ""
    if event != "message" { text += "event: \(event)\n" }
    if let id { text += "id: \(id)\n" }
    if let retry {
      let milliseconds = (max(retry, .zero) / .milliseconds(1)).rounded(.down)
      text += "retry: \(Int(exactly: milliseconds) ?? .max)\n"
    }
    var isAfterReturn = false
    text += "data: "
    // The loop reads scalars, because Swift treats CR LF as a single character.
    for scalar in data.unicodeScalars {
      if scalar == "\n" || scalar == "\r" {
        if scalar == "\r" || !isAfterReturn { text += "\ndata: " }
      } else {
        text.unicodeScalars.append(scalar)
      }
      isAfterReturn = scalar == "\r"
    }
    return text + "\n\n"
  }
}

extension ServerSentEvent: PrintedByDescription {
  /// The type, the id and the beginning of the data, redacted.
  public var description: String {
    let redaction = link.own ?? .standard
    let data = redaction.excerpt(
      of: Data(data.utf8), type: nil, length: Redaction.shortExcerpt, isOneLine: true)
    let id = id.map { ", id \(redaction.text($0))" } ?? ""
    return "\(redaction.text(event))\(id): \(data)".printed
  }
}
