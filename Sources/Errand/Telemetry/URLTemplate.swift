import Foundation

extension AttemptReport {
  /// The redacted template of the URL before redirects; `nil` if unknown, for example in a decoded report.
  package var urlTemplate: String? {
    guard let request, let dispatched = link.dispatched as? RequestContext.Dispatched else { return nil }
    let template = URLTemplate(of: dispatched.request, sentTo: redirects.first?.from ?? request.url)
    return template.map { redaction.text($0.text) }
  }

  package var redaction: Redaction { link.redaction(reporting: request) }
}

/// The URL template of a request, such as `/users/{userID}`.
///
/// A request can state the template. Otherwise, the template is the path with placeholders. A segment that
/// equals the value of a stored property, ignoring case, usually becomes a placeholder with the property's
/// name. Other numbers, dates and UUIDs become `{number}`, `{date}` or `{uuid}`. An ambiguous path has no
/// template.
struct URLTemplate: Sendable {
  let text: String

  /// Creates the template; `nil` if the request has none.
  ///
  /// `url` is the URL of the attempt before redirects.
  init?(of request: any Request, sentTo url: URL) {
    if let stated = request.urlTemplate {
      text = stated
      return
    }
    let written = (request as? any RequestWrapper)?.wrapped ?? request
    // The variable segments of a custom or one-off request are unknown.
    if request.customRequest != nil || written is any AdHocRequest { return nil }
    if written is any CustomReflectable || type(of: written) is AnyClass { return nil }
    let segments = Self.segments(of: request.path)
    let base = Self.base(of: url, before: segments)
    let values = StoredTexts(of: written)
    // If the request has its own base URL, the base may contain values of the request's properties.
    let isOwn = request.baseURL != nil
    guard let named = Self.named(isOwn ? base + segments : segments, by: values) else { return nil }
    text = "/" + ((isOwn ? [] : base.map { Self.general($0) ?? $0 }) + named).joined(separator: "/")
  }

  private static func segments(of path: String) -> [String] {
    var rest = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if let scheme = String(Substring(rest)).range(of: "://") {
      let start = path.utf8.distance(from: path.startIndex, to: scheme.upperBound)
      rest = rest.dropFirst(start).drop { $0 != UInt8(ascii: "/") }
    }
    return Substring(rest).split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
  }

  private static func base(of url: URL, before segments: [String]) -> [String] {
    let whole = Self.segments(of: url.absoluteString)
    return whole.suffix(segments.count) == segments[...] ? whole.dropLast(segments.count) : []
  }

  private static func named(_ segments: [String], by values: StoredTexts) -> [String]? {
    var named: [String] = []
    for segment in segments {
      let names = values.names(of: segment)
      if let name = names.first {
        let isOnce = segments.filter { StoredTexts.key($0) == StoredTexts.key(segment) }.count == 1
        guard names.count == 1, isOnce else { return nil }
        named.append("{\(name)}")
      } else if let general = general(segment) {
        named.append(general)
      } else {
        // Ambiguous: a value is only a part of the segment, as in `7.png`.
        if values.havePart(of: segment) { return nil }
        named.append(segment)
      }
    }
    return named
  }

  private static func general(_ segment: String) -> String? {
    let parts = segment.split(separator: ",", omittingEmptySubsequences: false)
    let kinds = Set(parts.map(kind))
    guard kinds.count == 1, let kind = kinds.first ?? nil else { return nil }
    return parts.count == 1 ? "{\(kind)}" : "{\(kind)s}"
  }

  private static func kind(of text: Substring) -> String? {
    if isNumber(text) { return "number" }
    if isDate(Array(text.utf8)) { return "date" }
    return UUID(uuidString: String(text)) == nil ? nil : "uuid"
  }

  private static func isNumber(_ text: Substring) -> Bool {
    let digits = text.hasPrefix("-") ? text.dropFirst() : text
    let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isDigit) }
  }

  /// Returns true for a text like `2026-01-31`, perhaps with a time.
  private static func isDate(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 10, bytes.count == 10 || [UInt8(ascii: "T"), 0x20].contains(bytes[10]) else {
      return false
    }
    return bytes.prefix(10).enumerated().allSatisfy { place, byte in
      place == 4 || place == 7 ? byte == UInt8(ascii: "-") : ASCII.isDigit(byte)
    }
  }
}

/// The names of a request's stored properties, found by the text of a value.
private struct StoredTexts {
  private var namesByText: [String: [String]] = [:]
  private var budget = 200

  private static let depthLimit = 3
  /// In bytes.
  private static let textLimit = 1_024

  init(of request: any Request) {
    let members = Set(RequestMember.all.map(\.name))
    for (label, value) in Mirror(reflecting: request).children {
      guard let label, !members.contains(label) else { continue }
      add(value, as: String(label.drop { $0 == "_" || $0 == "$" }), depth: 0)
    }
  }

  static func key(_ text: String) -> String { text.lowercased() }

  func names(of segment: String) -> [String] { namesByText[Self.key(segment)] ?? [] }

  /// Returns true if a value is a whole word inside the segment.
  func havePart(of segment: String) -> Bool {
    let segment = Self.key(segment)
    return namesByText.keys.contains { text in
      segment.ranges(of: text).contains { range in
        !(segment[..<range.lowerBound].last.map(Self.isWordCharacter) ?? false)
          && !(segment[range.upperBound...].first.map(Self.isWordCharacter) ?? false)
      }
    }
  }

  private static func isWordCharacter(_ character: Character) -> Bool {
    character.isLetter || character.isNumber
  }

  private mutating func add(_ value: Any, as name: String, depth: Int) {
    budget -= 1
    guard budget > 0 else { return }
    let texts = Self.texts(of: value).filter { !$0.isEmpty && $0.utf8.count <= Self.textLimit }
    for key in Set(texts.map(Self.key)) where namesByText[key]?.contains(name) != true {
      namesByText[key, default: []].append(name)
    }
    // Collections are not visited, because a visit to a long list takes time.
    guard texts.isEmpty, depth < Self.depthLimit, !(value is any Collection) else { return }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional || !(value is any CustomReflectable), mirror.displayStyle != .class
    else { return }
    for (label, child) in mirror.children {
      let label = label.map { $0.hasPrefix(".") ? "" : String($0.drop { $0 == "_" || $0 == "$" }) } ?? ""
      // A child without a label, and the value of an optional, have the name of the enclosing property.
      let isInside = label.isEmpty || [.optional, .tuple].contains(mirror.displayStyle) && label == "some"
      add(child, as: isInside ? name : name.isEmpty ? label : "\(name).\(label)", depth: depth + 1)
    }
  }

  private static func texts(of value: Any) -> [String] {
    switch value {
    case let secret as Secret: [secret.reveal()]
    case let text as String: [text]
    case let id as UUID: [id.uuidString]
    case let date as Date: [date.formatted(.iso8601), "\(date)"]
    case let number as Decimal: ["\(number)"]
    case let value as any RawRepresentable: texts(ofRaw: value) + written(value)
    default: written(value)
    }
  }

  private static func texts(ofRaw value: some RawRepresentable) -> [String] { texts(of: value.rawValue) }

  private static func written(_ value: Any) -> [String] {
    (value as? any LosslessStringConvertible).map { [$0.description] } ?? []
  }
}

protocol AdHocRequest: Request {}

extension OneOffRequest: AdHocRequest {}
