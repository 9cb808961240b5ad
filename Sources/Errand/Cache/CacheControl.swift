/// The directives of `Cache-Control` or `Pragma` fields (RFC 9111 section 5), with lowercase names.
struct CacheControl: Sendable {
  private(set) var directives: [(name: String, value: String?)] = []

  var isEmpty: Bool { directives.isEmpty }

  init(_ headers: HTTPHeaders, field name: String = "Cache-Control") {
    for field in headers.fields where HTTPHeaders.same(field.name, name) { read(Array(field.value.utf8)) }
  }

  func contains(_ name: String) -> Bool { directives.contains { $0.name == name } }

  func argument(of name: String) -> String? { directives.first { $0.name == name }?.value }

  /// Returns the number of a directive, at most 2³¹ (RFC 9111 section 1.2.2); `nil` without the directive.
  ///
  /// A missing or unreadable number means 0.
  func seconds(_ name: String) -> Double? {
    guard let directive = directives.first(where: { $0.name == name }) else { return nil }
    return directive.value.flatMap(Self.seconds(of:)) ?? 0
  }

  static func seconds(of text: String) -> Double? {
    guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    return text.utf8.drop { $0 == 0x30 }.count > 10 ? most : min(Double(text) ?? most, most)
  }

  private static let most = 2_147_483_648.0

  static func list(_ text: String) -> [String] {
    text.utf8.split(separator: 0x2C).map { part in
      let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
      let begin = part.firstIndex { !isBlank($0) } ?? part.endIndex
      let end = part[begin...].lastIndex { !isBlank($0) }.map(part.index(after:)) ?? begin
      return String(decoding: part[begin..<end], as: UTF8.self)
    }.filter { !$0.isEmpty }
  }

  private mutating func read(_ bytes: [UInt8]) {
    var place = 0
    while place < bytes.count {
      let name = Self.take(bytes, from: &place) { $0 != 0x2C && $0 != 0x3D }
      var value: String?
      if place < bytes.count, bytes[place] == 0x3D {
        place += 1
        value = Self.argument(bytes, at: &place)
        _ = Self.take(bytes, from: &place) { $0 != 0x2C }
      }
      place += 1
      // A name ends at white space or a semicolon. The remaining text is invalid, and is dropped.
      let token = Self.trimmed(name).prefix { $0 != " " && $0 != "\t" && $0 != ";" }
      if !token.isEmpty { directives.append((token.lowercased(), value)) }
    }
  }

  private static func argument(_ bytes: [UInt8], at place: inout Int) -> String {
    guard place < bytes.count, bytes[place] == 0x22, bytes[(place + 1)...].contains(0x22) else {
      var token = take(bytes, from: &place) { $0 != 0x2C }[...]
      // Removes only blanks at the end. A blank at the start is invalid, and makes a number unreadable.
      while let last = token.last, last == 0x20 || last == 0x09 { token.removeLast() }
      return String(decoding: token, as: UTF8.self)
    }
    place += 1
    var text: [UInt8] = []
    while place < bytes.count, bytes[place] != 0x22 {
      if bytes[place] == 0x5C, place + 1 < bytes.count { place += 1 }
      text.append(bytes[place])
      place += 1
    }
    place += 1
    return String(decoding: text, as: UTF8.self)
  }

  private static func take(_ bytes: [UInt8], from place: inout Int, while isPart: (UInt8) -> Bool) -> [UInt8]
  {
    let start = place
    while place < bytes.count, isPart(bytes[place]) { place += 1 }
    return start < bytes.count ? Array(bytes[start..<place]) : []
  }

  private static func trimmed(_ bytes: [UInt8]) -> String {
    var rest = bytes[...]
    while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
    return String(decoding: rest, as: UTF8.self)
  }
}

struct ResponseDirectives: Sendable {
  var maxAge: Double?
  var noStore = false
  /// True for `no-cache` without header names; header names are in ``unkeptFields``.
  var noCache = false
  var mustRevalidate = false
  var mustUnderstand = false
  var isPublic = false
  var isPrivate = false
  var isImmutable = false
  var staleWhileRevalidate = 0.0
  var staleIfError = 0.0
  var unkeptFields: [String] = []

  init(_ headers: HTTPHeaders) {
    for (name, value) in CacheControl(headers).directives {
      switch name {
      case "max-age": maxAge = maxAge ?? value.flatMap(CacheControl.seconds(of:)) ?? 0
      case "no-store": noStore = true
      case "no-cache":
        let fields = value.map { CacheControl.list($0) } ?? []
        if fields.isEmpty { noCache = true } else { unkeptFields += fields }
      case "must-revalidate": mustRevalidate = true
      case "must-understand": mustUnderstand = true
      case "public": isPublic = true
      case "private": isPrivate = true
      case "immutable": isImmutable = true
      case "stale-while-revalidate": staleWhileRevalidate = value.flatMap(CacheControl.seconds(of:)) ?? 0
      case "stale-if-error": staleIfError = value.flatMap(CacheControl.seconds(of:)) ?? 0
      default: break
      }
    }
  }
}

struct RequestDirectives: Sendable {
  var noStore = false
  var noCache = false
  var onlyIfCached = false
  var maxAge: Double?
  var minFresh = 0.0
  /// In seconds; infinite without an argument, and `nil` without `max-stale`.
  var maxStale: Double?
  var staleIfError = 0.0

  init() {}

  init(_ headers: HTTPHeaders) {
    let control = CacheControl(headers)
    guard !control.isEmpty else {
      // RFC 9111 section 5.4: `Pragma` counts only without directives in `Cache-Control`.
      noCache = headers.contains("Pragma") && CacheControl(headers, field: "Pragma").contains("no-cache")
      return
    }
    noStore = control.contains("no-store")
    noCache = control.contains("no-cache")
    onlyIfCached = control.contains("only-if-cached")
    maxAge = control.seconds("max-age")
    minFresh = control.seconds("min-fresh") ?? 0
    staleIfError = control.seconds("stale-if-error") ?? 0
    if control.contains("max-stale") {
      maxStale = control.argument(of: "max-stale") == nil ? .infinity : control.seconds("max-stale")
    }
  }
}
