import Foundation

/// An answer as a ``ResponseCache`` keeps it: its head, its body, and what tells for which requests it stands.
///
/// Immutable but for its body's bytes, which may be on a disk still. Its text says nothing of the body and hides secrets by
/// ``Redaction/standard``.
struct CachedResponse: Sendable {
  /// The status.
  let status: HTTPResponse.Status
  /// The header fields, without those that concern one connection only.
  let headers: HTTPHeaders
  /// When the request was sent, by the agent's clock.
  let requested: Date
  /// When the answer came, or was found valid last, by the agent's clock.
  let received: Date
  /// The tags of ``CachePolicy/tagged(_:)``.
  let tags: Set<String>
  /// The bytes of the body, after content decoding.
  var body: CachedBody
  /// The request fields that `Vary` names, with what they were; `nil` where one was not there.
  let selectors: [Selector]
  /// Of an answer that a policy keeps for a fixed time.
  let pin: CachePolicy.Pin?
  /// Of an answer that is a part of a whole.
  let part: Part?
  let directives: ResponseDirectives
  /// Seconds of freshness, and of age when it came (RFC 9111 section 4.2).
  let freshness: CacheFreshness

  /// A request field that tells answers apart.
  struct Selector: Sendable, Hashable, Codable {
    let name: String
    let value: String?
  }

  /// Which bytes a 206 has.
  struct Part: Sendable, Hashable, Codable {
    let range: Range<Int>
    /// Of the whole; `nil` where the server did not say.
    let total: Int?
  }

  init(
    status: HTTPResponse.Status, headers: HTTPHeaders, requested: Date, received: Date,
    tags: Set<String> = [],
    body: CachedBody = CachedBody(Data()), selectors: [Selector] = [], pin: CachePolicy.Pin? = nil,
    part: Part? = nil
  ) {
    (self.status, self.headers, self.requested, self.received) = (status, headers, requested, received)
    (self.tags, self.body, self.selectors, self.pin, self.part) = (tags, body, selectors, pin, part)
    var directives = ResponseDirectives(headers)
    // The fields are left out already, and a server may name very many.
    directives.unkeptFields = []
    self.directives = directives
    freshness = CacheFreshness(
      status: status, headers: headers, directives, requested: requested, received: received)
  }

  /// What two answers of one ``CacheKey`` must have in common for the newer to take the place of the older.
  var variant: String { variant(of: selectors) }

  /// The variant with other values of the request fields.
  func variant(of selectors: [Selector]) -> String {
    var parts = selectors.map { selector in
      // A blank would make another line of it, see `VariantName`.
      let name = selector.name.lowercased().replacing(" ", with: "_")
      return "\(name):\(selector.value.map { "=" + $0 } ?? "")"
    }.sorted()
    if let pin { parts.append(Self.line(of: pin)) }
    // A part takes the place of no whole.
    if part != nil { parts.append("part") }
    return parts.joined(separator: "\n")
  }

  /// The line of ``variant`` for a fixed time.
  static func line(of pin: CachePolicy.Pin) -> String {
    "pin \(pin.version) \(pin.scope.map { "of " + $0 } ?? "")"
  }

  /// Everything but the body, for a store that keeps bytes: read by ``init(head:body:)``.
  var head: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(Head(self))) ?? Data()
  }

  /// Reads what ``head`` gave; `nil` where it is something else.
  init?(head: Data, body: CachedBody) {
    guard let read = try? JSONDecoder().decode(Head.self, from: head),
      read.selectors.count <= VariedFields.most
    else { return nil }
    if let part = read.part {
      // Whoever wrote it: what contradicts itself is none.
      guard part.range.lowerBound >= 0, part.range.count == body.count,
        part.range.upperBound <= part.total ?? .max
      else { return nil }
    }
    self = read.response(body)
  }

  /// How many bytes it takes, about: its body, its fields, and the request fields that it was selected by.
  var cost: Int {
    let own = headers.fields.reduce(512 + body.count) { $0 + Self.cost($1.name) + Self.cost($1.value) }
    // The values are in the variant once more.
    return selectors.reduce(own) { $0 + 2 * (Self.cost($1.name) + Self.cost($1.value ?? "")) }
      + tags.reduce(0) { $0 + Self.cost($1) } + Self.cost(pin?.scope ?? "")
  }

  /// The bytes of a text in memory: up to 15 bytes stand in the value itself.
  private static func cost(_ text: String) -> Int {
    16 + (text.utf8.count > 15 ? 32 + text.utf8.count : 0)
  }

  private struct Head: Codable {
    let status: Int
    let fields: [[String]]
    let requested, received: Double
    let tags: [String]
    let selectors: [Selector]
    let pin: CachePolicy.Pin?
    let part: Part?

    init(_ response: CachedResponse) {
      status = response.status.code
      fields = response.headers.fields.map { [$0.name, $0.value] }
      requested = response.requested.timeIntervalSince1970
      received = response.received.timeIntervalSince1970
      (tags, selectors) = (response.tags.sorted(), response.selectors)
      (pin, part) = (response.pin, response.part)
    }

    func response(_ body: CachedBody) -> CachedResponse {
      CachedResponse(
        status: HTTPResponse.Status(status),
        headers: HTTPHeaders(fields.filter { $0.count == 2 }.map { .init(name: $0[0], value: $0[1]) }),
        requested: Date(timeIntervalSince1970: requested), received: Date(timeIntervalSince1970: received),
        tags: Set(tags), body: body, selectors: selectors, pin: pin, part: part)
    }
  }
}

extension CachedResponse: PrintedByDescription {
  /// Such as `200 OK, 512 bytes, received Sun, 06 Nov 1994 08:49:37 GMT`.
  var description: String {
    "\(status), \(body.count) bytes, received \(HTTPDate.format(received))".printed
  }
}

/// How old an answer was when it came, and how long it is fresh (RFC 9111 sections 4.2.1 to 4.2.3).
struct CacheFreshness: Sendable {
  /// In seconds.
  let lifetime: Double
  /// Whether the server said so; else it is a tenth of the time since the last change, a day at most.
  let isExplicit: Bool
  /// In seconds.
  let initialAge: Double

  init(
    status: HTTPResponse.Status, headers: HTTPHeaders, _ directives: ResponseDirectives, requested: Date,
    received: Date
  ) {
    let date = headers["Date"].flatMap { HTTPDate.parse($0, now: received) } ?? received
    let apparent = max(0, received.timeIntervalSince(date))
    let delay = max(0, received.timeIntervalSince(requested))
    let stated = headers.values(for: "Age").first.flatMap { text in
      // A list is no number; its first member counts, as several lines' first does.
      CacheControl.list(text).first.flatMap(CacheControl.seconds(of:))
    }
    initialAge = max(apparent, (stated ?? 0) + delay)
    if let maxAge = directives.maxAge {
      (lifetime, isExplicit) = (maxAge, true)
    } else if headers.contains("Expires") {
      // Several are not a date, and 0 is none: the past.
      let expires = headers["Expires"].flatMap { CacheDate.parse($0, now: received) }
      (lifetime, isExplicit) = (max(0, expires?.timeIntervalSince(date) ?? 0), true)
    } else if Self.heuristic.contains(status.code) || directives.isPublic,
      let changed = headers["Last-Modified"].flatMap({ HTTPDate.parse($0, now: received) }), changed < date
    {
      (lifetime, isExplicit) = (min(date.timeIntervalSince(changed) / 10, 86_400), false)
    } else {
      (lifetime, isExplicit) = (0, false)
    }
  }

  /// What may be fresh without the server's saying so (RFC 9110 section 15.1).
  static let heuristic: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
}
