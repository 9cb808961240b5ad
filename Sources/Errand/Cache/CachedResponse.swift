import Foundation

/// A response as stored in a ``ResponseCache``: head, body, and the facts for matching requests.
///
/// The body is in memory or in a file. The description contains neither headers nor body.
struct CachedResponse: Sendable {
  /// The status.
  let status: HTTPResponse.Status
  /// The header fields, without the fields for a single connection.
  let headers: HTTPHeaders
  /// The time of sending the request, by the agent's clock.
  let requested: Date
  /// The time of receiving or last revalidating the response, by the agent's clock.
  let received: Date
  /// The tags of ``CachePolicy/tagged(_:)``.
  let tags: Set<String>
  /// The bytes of the body, after content decoding.
  var body: CachedBody
  /// The request headers named by `Vary`, with their values; `nil`: the header was absent.
  let selectors: [Selector]
  /// The fixed lifetime set by the policy; `nil`: the server decides about freshness.
  let pin: CachePolicy.Pin?
  /// The range of a partial response; `nil`: the response is whole.
  let part: Part?
  let directives: ResponseDirectives
  /// The freshness lifetime, and the age on receipt, in seconds (RFC 9111 section 4.2).
  let freshness: CacheFreshness

  /// A request header that selects among variants.
  struct Selector: Sendable, Hashable, Codable {
    let name: String
    let value: String?
  }

  /// The byte range of a 206 response.
  struct Part: Sendable, Hashable, Codable {
    let range: Range<Int>
    /// The length of the whole; `nil`: the server did not state the length.
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
    // The fields are already removed from `headers`, and their names may take much memory.
    directives.unkeptFields = []
    self.directives = directives
    freshness = CacheFreshness(
      status: status, headers: headers, directives, requested: requested, received: received)
  }

  /// The name of the variant: the selecting request headers, version and scope of a fixed lifetime, `part`.
  ///
  /// A newer response replaces a stored response with an equal ``CacheKey`` and an equal variant.
  var variant: String { variant(of: selectors) }

  /// Returns the name of the variant with the given values of the request headers.
  func variant(of selectors: [Selector]) -> String {
    var parts = selectors.map { selector in
      // `VariantName` could not parse a header name with a space.
      let name = selector.name.lowercased().replacing(" ", with: "_")
      return "\(name):\(selector.value.map { "=" + $0 } ?? "")"
    }.sorted()
    if let pin { parts.append(Self.line(of: pin)) }
    // A part never replaces a whole.
    if part != nil { parts.append("part") }
    return parts.joined(separator: "\n")
  }

  /// Returns the line of ``variant`` for a fixed lifetime.
  static func line(of pin: CachePolicy.Pin) -> String {
    "pin \(pin.version) \(pin.scope.map { "of " + $0 } ?? "")"
  }

  /// The encoded response without its body, for a store of bytes; decoded by ``init(head:body:)``.
  var head: Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(Head(self))) ?? Data()
  }

  /// Decodes ``head``; returns `nil` if the bytes are invalid.
  init?(head: Data, body: CachedBody) {
    guard let read = try? JSONDecoder().decode(Head.self, from: head),
      read.selectors.count <= VariedFields.most
    else { return nil }
    if let part = read.part {
      // A part with contradictory numbers is rejected, because another program may have changed the file.
      guard part.range.lowerBound >= 0, part.range.count == body.count,
        part.range.upperBound <= part.total ?? .max
      else { return nil }
    }
    self = read.response(body)
  }

  /// The approximate size in bytes: 512, body, headers, tags, selecting request headers, and scope.
  var cost: Int {
    let own = headers.fields.reduce(512 + body.count) { $0 + Self.cost($1.name) + Self.cost($1.value) }
    // The variant repeats the selecting values, so each counts twice.
    return selectors.reduce(own) { $0 + 2 * (Self.cost($1.name) + Self.cost($1.value ?? "")) }
      + tags.reduce(0) { $0 + Self.cost($1) } + Self.cost(pin?.scope ?? "")
  }

  /// Returns the size of a text in memory; texts of up to 15 bytes need no allocation.
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
  /// A text such as `200 OK, 512 bytes, received Sun, 06 Nov 1994 08:49:37 GMT`.
  var description: String {
    "\(status), \(body.count) bytes, received \(HTTPDate.format(received))".printed
  }
}

/// The initial age and the freshness lifetime of a response (RFC 9111 sections 4.2.1 to 4.2.3).
struct CacheFreshness: Sendable {
  /// The freshness lifetime in seconds.
  let lifetime: Double
  /// True if the server stated the lifetime.
  ///
  /// The heuristic lifetime is a tenth of the time since the last modification, at most a day.
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
      // Only the first member of the first `Age` field counts.
      CacheControl.list(text).first.flatMap(CacheControl.seconds(of:))
    }
    initialAge = max(apparent, (stated ?? 0) + delay)
    if let maxAge = directives.maxAge {
      (lifetime, isExplicit) = (maxAge, true)
    } else if headers.contains("Expires") {
      // Several dates or an invalid date such as `0` count as a date in the past.
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

  /// The status codes with heuristic freshness (RFC 9110 section 15.1).
  static let heuristic: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
}
