import Foundation

struct CachedResponse: Sendable {
  let status: HTTPResponse.Status
  /// The headers, without hop-by-hop fields (RFC 9111 section 3.1).
  let headers: HTTPHeaders
  /// The start of the request that stored or last updated the response, by the agent's clock.
  let requested: Date
  /// The time of receipt or of the last update, by the agent's clock.
  let received: Date
  let tags: Set<String>
  /// The body as decoded by the transport.
  var body: CachedBody
  let selectors: [Selector]
  /// `nil`: no fixed lifetime.
  let pin: CachePolicy.Pin?
  /// `nil`: the response is complete.
  let part: Part?
  let directives: ResponseDirectives
  let freshness: CacheFreshness

  /// A request header named by `Vary`; a `value` of `nil`: the request did not have the header.
  struct Selector: Sendable, Hashable, Codable {
    let name: String
    let value: String?
  }

  struct Part: Sendable, Hashable, Codable {
    let range: Range<Int>
    /// The length of the complete body; `nil` if unknown.
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
    // A stored response no longer needs the names in `no-cache`.
    directives.unkeptFields = []
    self.directives = directives
    freshness = CacheFreshness(
      status: status, headers: headers, directives, requested: requested, received: received)
  }

  /// The text that distinguishes the response from other responses of the same key; see ``VariantName``.
  var variant: String { variant(of: selectors) }

  func variant(of selectors: [Selector]) -> String {
    var parts = selectors.map { selector in
      // `VariantName` could not parse a header name with a space.
      let name = selector.name.lowercased().replacing(" ", with: "_")
      return "\(name):\(selector.value.map { "=" + $0 } ?? "")"
    }.sorted()
    if let pin { parts.append(Self.line(of: pin)) }
    // A partial response must not replace a complete response.
    if part != nil { parts.append("part") }
    return parts.joined(separator: "\n")
  }

  static func line(of pin: CachePolicy.Pin) -> String {
    "pin \(pin.version) \(pin.scope.map { "of " + $0 } ?? "")"
  }

  var head: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(Head(self))) ?? Data()
  }

  init?(head: Data, body: CachedBody) {
    guard let read = try? JSONDecoder().decode(Head.self, from: head),
      read.selectors.count <= VariedFields.most
    else { return nil }
    if let part = read.part {
      // Another program may have changed the file.
      guard part.range.lowerBound >= 0, part.range.count == body.count,
        part.range.upperBound <= part.total ?? .max
      else { return nil }
    }
    self = read.response(body)
  }

  /// In bytes, approximately.
  var cost: Int {
    let own = headers.fields.reduce(512 + body.count) { $0 + Self.cost($1.name) + Self.cost($1.value) }
    return selectors.reduce(own) { $0 + 2 * (Self.cost($1.name) + Self.cost($1.value ?? "")) }
      + tags.reduce(0) { $0 + Self.cost($1) } + Self.cost(pin?.scope ?? "")
  }

  /// In bytes, approximately; a short text needs no heap object.
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
  var description: String {
    "\(status), \(body.count) bytes, received \(HTTPDate.format(received))".printed
  }
}

/// The age and the freshness lifetime of a response (RFC 9111 sections 4.2.1 to 4.2.3).
struct CacheFreshness: Sendable {
  /// In seconds.
  let lifetime: Double
  let isExplicit: Bool
  /// The age on receipt in seconds.
  let initialAge: Double

  init(
    status: HTTPResponse.Status, headers: HTTPHeaders, _ directives: ResponseDirectives, requested: Date,
    received: Date
  ) {
    let date = headers["Date"].flatMap { HTTPDate.parse($0, now: received) } ?? received
    let apparent = max(0, received.timeIntervalSince(date))
    let delay = max(0, received.timeIntervalSince(requested))
    let stated = headers.values(for: "Age").first.flatMap { text in
      CacheControl.list(text).first.flatMap(CacheControl.seconds(of:))
    }
    initialAge = max(apparent, (stated ?? 0) + delay)
    if let maxAge = directives.maxAge {
      (lifetime, isExplicit) = (maxAge, true)
    } else if headers.contains("Expires") {
      // Several dates, or an invalid date such as `0`, count as a date in the past.
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

  /// The status codes that allow a heuristic lifetime (RFC 9110 section 15.1).
  static let heuristic: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
}
