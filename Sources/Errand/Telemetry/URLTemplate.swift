import Foundation

/// The path of a request with names in the place of what varies, so that all requests of an endpoint have the same.
///
/// A request states it, or it is made of the path: a segment that is the value of a stored property is named after it, one that is a number,
/// a date or a UUID after what it is, as nobody has so many endpoints. There is none where that may be wrong: a wrong one would be counted
/// as an endpoint of its own.
struct URLTemplate: Sendable {
  let text: String

  /// - Parameters:
  ///   - request: what was dispatched, with its overrides.
  ///   - url: where it was sent first, of which the beginning belongs to the base.
  init?(of request: any Request, sentTo url: URL) {
    if let stated = request.urlTemplate {
      text = stated
      return
    }
    let written = (request as? any RequestWrapper)?.wrapped ?? request
    // What was written where it is sent has nothing that says what varies.
    if request.customRequest != nil || written is any AdHocRequest { return nil }
    if written is any CustomReflectable || type(of: written) is AnyClass { return nil }
    let segments = Self.segments(of: request.path)
    let base = Self.base(of: url, before: segments)
    let values = StoredTexts(of: written)
    // A base of the request's own may be made of its properties, the agent's is not.
    let isOwn = request.baseURL != nil
    guard let named = Self.named(isOwn ? base + segments : segments, by: values) else { return nil }
    text = "/" + ((isOwn ? [] : base.map { Self.general($0) ?? $0 }) + named).joined(separator: "/")
  }

  /// The path between its slashes, decoded; without the query, and the origin of an absolute one.
  private static func segments(of path: String) -> [String] {
    var rest = path.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    if let scheme = String(Substring(rest)).range(of: "://") {
      let start = path.utf8.distance(from: path.startIndex, to: scheme.upperBound)
      rest = rest.dropFirst(start).drop { $0 != UInt8(ascii: "/") }
    }
    return Substring(rest).split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
  }

  /// What the base has put in front; empty where the URL does not end with the path, as a hook has changed it.
  private static func base(of url: URL, before segments: [String]) -> [String] {
    let whole = Self.segments(of: url.absoluteString)
    return whole.suffix(segments.count) == segments[...] ? whole.dropLast(segments.count) : []
  }

  /// The segments with the names of what they are values of; `nil` where one may be a value or not, or of several properties.
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
        // A part of it varies, as in `7.png`.
        if values.havePart(of: segment) { return nil }
        named.append(segment)
      }
    }
    return named
  }

  /// A segment that no property has, where it is of a kind of which there are many; several of a kind with commas are one.
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

  /// `2026-11-21`, perhaps with a time behind it.
  private static func isDate(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= 10, bytes.count == 10 || [UInt8(ascii: "T"), 0x20].contains(bytes[10]) else {
      return false
    }
    return bytes.prefix(10).enumerated().allSatisfy { place, byte in
      place == 4 || place == 7 ? byte == UInt8(ascii: "-") : ASCII.isDigit(byte)
    }
  }
}

/// The stored properties of a request by the texts of their values; those of a structure in one of them by both names.
private struct StoredTexts {
  /// In the order of declaration.
  private var namesByText: [String: [String]] = [:]
  /// How many more values are looked at, as this is done for each attempt.
  private var budget = 200

  private static let depthLimit = 3
  /// A longer text is no segment.
  private static let textLimit = 1_024

  init(of request: any Request) {
    let members = Set(RequestMember.all.map(\.name))
    for (label, value) in Mirror(reflecting: request).children {
      guard let label, !members.contains(label) else { continue }
      add(value, as: String(label.drop { $0 == "_" || $0 == "$" }), depth: 0)
    }
  }

  /// Texts count in any case, as a path often has them in small letters.
  static func key(_ text: String) -> String { text.lowercased() }

  func names(of segment: String) -> [String] { namesByText[Self.key(segment)] ?? [] }

  /// Whether a value stands in a segment, with neither a letter nor a digit beside it.
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
    // A list is no segment, and to mirror a long one takes long.
    guard texts.isEmpty, depth < Self.depthLimit, !(value is any Collection) else { return }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .optional || !(value is any CustomReflectable), mirror.displayStyle != .class
    else { return }
    for (label, child) in mirror.children {
      let label = label.map { $0.hasPrefix(".") ? "" : String($0.drop { $0 == "_" || $0 == "$" }) } ?? ""
      // An optional's value and an enumeration's payload have the name of what they are in.
      let isInside = label.isEmpty || [.optional, .tuple].contains(mirror.displayStyle) && label == "some"
      add(child, as: isInside ? name : name.isEmpty ? label : "\(name).\(label)", depth: depth + 1)
    }
  }

  /// How a value can stand in a path.
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

  /// Numbers, booleans, characters and what else `\(segment:)` takes.
  private static func written(_ value: Any) -> [String] {
    (value as? any LosslessStringConvertible).map { [$0.description] } ?? []
  }
}

/// A request that is written where it is sent: its path is a text like any other.
protocol AdHocRequest: Request {}

extension OneOffRequest: AdHocRequest {}
