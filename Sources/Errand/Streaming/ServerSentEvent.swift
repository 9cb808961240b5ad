public import ErrandJSON
import Foundation

/// One event of a stream of them, as the HTML standard has it (section 9.2, Server-sent events).
public struct ServerSentEvent: Sendable, Hashable {
  /// What it says: the values of its `data` fields, with a line feed between each two.
  public var data: String
  /// Of what type it is; `message` where the server names none.
  public var event: String
  /// The last `id` that the stream has had, with this event or before it; `nil` where there was none, or an empty one.
  ///
  /// It is what a reconnection names as the place to go on from.
  public var id: String?
  /// How long to wait before a reconnection, where the event sets that; `nil` where it does not.
  public var retry: Duration?

  /// To the dispatch that it came with, for its coding and what it hides.
  var link = RedactionSource()

  /// Makes an event, for tests.
  public init(_ data: String, event: String = "message", id: String? = nil, retry: Duration? = nil) {
    self.data = data
    self.event = event
    self.id = id
    self.retry = retry
  }

  /// Decodes the data, which is JSON.
  ///
  /// ```swift
  /// for try await event in agent.serverSentEvents(of: .get("users/new")) where event.event == "user" {
  ///   print(try event.decode(User.self).name)
  /// }
  /// ```
  ///
  /// It runs where it is called.
  ///
  /// - Parameters:
  ///   - type: what the data is.
  ///   - coding: how JSON is read; `nil`, the default, for the ``Request/jsonDecoder`` or ``Request/jsonCoding`` of the request
  ///     that the event answers, else the agent's, else a plain one.
  /// - Throws: ``RequestError`` of kind ``RequestError/Kind/decoding``, whose ``RequestError/cause`` is the `DecodingError`.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, by coding: JSONCoding? = nil
  ) throws -> Value {
    let text = Data(data.utf8)
    do {
      return try (coding?.reader ?? link.jsonReader).decode(from: text)
    } catch {
      var reason = "\(error)"
      if let error = error as? DecodingError { reason = error.explained(by: text, as: "it").clause }
      var refused = RequestError(
        .decoding, "the data of an event of type \(event) does not fit: \(reason)", stage: .decode,
        cause: error)
      refused.isOfElement = true
      if let dispatched = link.dispatched as? RequestContext.Dispatched { refused.belong(to: dispatched) }
      throw refused
    }
  }

  /// The event as a server writes it, with the blank line that ends it.
  package var wireText: String {
    var text = ""
    if event != "message" { text += "event: \(event)\n" }
    if let id { text += "id: \(id)\n" }
    if let retry { text += "retry: \(Int(max(retry, .zero) / .milliseconds(1)))\n" }
    var isAfterReturn = false
    text += "data: "
    // By its scalars: CR LF is one character.
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
  /// Type, id and up to 200 characters of the data on one line; secrets are hidden by what the agent hides.
  public var description: String {
    let redaction = link.own ?? .standard
    let data = redaction.excerpt(
      of: Data(data.utf8), type: nil, length: Redaction.shortExcerpt, isOneLine: true)
    let id = id.map { ", id \(redaction.text($0))" } ?? ""
    return "\(redaction.text(event))\(id): \(data)".printed
  }
}
