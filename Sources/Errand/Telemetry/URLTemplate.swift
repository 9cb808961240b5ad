import Foundation

/// The path of a request with names in the place of what varies, so that all requests of an endpoint have the same.
///
/// A request states it, or it is made of the path: a segment that is the value of a stored property is named after it, one that is a number
/// or a UUID after what it is, as nobody has so many endpoints.
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
    let values = Self.values(of: written)
    let named = segments.map { segment in values[segment].map { "{\($0)}" } ?? Self.general(segment) }
    text = "/" + (Self.base(of: url, before: segments) + named).joined(separator: "/")
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

  /// A segment that no property has.
  private static func general(_ segment: String) -> String {
    if segment.utf8.allSatisfy(ASCII.isDigit) { return "{number}" }
    return UUID(uuidString: segment) == nil ? segment : "{uuid}"
  }

  /// The stored properties by their values; those of a structure in one of them by both names.
  private static func values(of request: any Request) -> [String: String] {
    let members = Set(RequestMember.all.map(\.name))
    var names: [String: String] = [:]
    func add(_ value: Any, as name: String, depth: Int) {
      for text in Self.texts(of: value) where !text.isEmpty && names[text] == nil { names[text] = name }
      let mirror = Mirror(reflecting: value)
      guard depth < 3, mirror.displayStyle != .class, !(value is any CustomReflectable) else { return }
      for (label, child) in mirror.children {
        let label = label.map { $0.hasPrefix(".") ? "" : String($0.drop { $0 == "_" || $0 == "$" }) } ?? ""
        // An optional's value and an enumeration's payload have the name of what they are in.
        let isInside = label.isEmpty || [.optional, .tuple].contains(mirror.displayStyle) && label == "some"
        add(child, as: isInside ? name : name.isEmpty ? label : "\(name).\(label)", depth: depth + 1)
      }
    }
    for (label, value) in Mirror(reflecting: request).children {
      guard let label, !members.contains(label) else { continue }
      add(value, as: String(label.drop { $0 == "_" || $0 == "$" }), depth: 0)
    }
    return names
  }

  /// How a value can stand in a path.
  private static func texts(of value: Any) -> [String] {
    switch value {
    case let secret as Secret: [secret.reveal()]
    case let text as String: [text]
    case let id as UUID: [id.uuidString, id.uuidString.lowercased()]
    case let value as any RawRepresentable: texts(ofRaw: value)
    case let number as any BinaryInteger: ["\(number)"]
    default: []
    }
  }

  private static func texts(ofRaw value: some RawRepresentable) -> [String] { texts(of: value.rawValue) }
}

/// A request that is written where it is sent: its path is a text like any other.
protocol AdHocRequest: Request {}

extension OneOffRequest: AdHocRequest {}
