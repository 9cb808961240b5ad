/// Writes documents that mostly fit a shape.
struct DocumentWriter {
  private var random: CaseRandom
  private let settings: CaseSettings
  /// The number of values in a thousand that are written regardless of the shape.
  private let noise: Int
  /// True if there may be white space between tokens.
  private let isSpaced: Bool
  private var bytes: [UInt8] = []

  /// Returns a document for a shape with the settings.
  static func document(_ shape: Shape, _ settings: CaseSettings, using random: inout CaseRandom)
    -> [UInt8]
  {
    let noise = [0, 0, 0, 0, 15, 30, 60, 150][random.below(8)]
    let isSpaced = random.chance(200)
    var writer = DocumentWriter(
      random: CaseRandom(seed: random.next()), settings: settings, noise: noise, isSpaced: isSpaced)
    writer.value(shape, depth: 0)
    var bytes = writer.bytes
    if settings.assumesTopLevelDictionary, random.chance(600), bytes.first == UInt8(ascii: "{") {
      bytes = Array(bytes.dropFirst().dropLast())
    }
    return bytes
  }

  private init(random: CaseRandom, settings: CaseSettings, noise: Int, isSpaced: Bool) {
    (self.random, self.settings, self.noise, self.isSpaced) = (random, settings, noise, isSpaced)
  }

  private mutating func value(_ shape: Shape, depth: Int) {
    if random.chance(noise) {
      random.chance(300) ? put("null") : anything(depth: depth + 2)
      return
    }
    switch shape {
    case .bool: put(random.chance(500) ? "true" : "false")
    case .integer(let bits, let signed): integer(bits: bits, signed: signed)
    case .float, .decimal: number()
    case .string: text()
    case .date: date()
    case .bytes: data()
    case .url: string(random.chance(500) ? Samples.urls[0] : random.one(of: Samples.urls))
    case .anything: anything(depth: depth)
    case .verbatim(let texts): put(random.one(of: texts))
    case .optional(let wrapped): random.chance(250) ? put("null") : value(wrapped, depth: depth)
    case .either(let shapes): value(random.one(of: shapes), depth: depth)
    case .array(let element): elements(Array(repeating: element, count: count(depth)), depth: depth)
    case .tuple(let shapes): elements(shapes, depth: depth)
    case .object(let members): object(members, depth: depth)
    case .dictionary(let names, let element): dictionary(names, element, depth: depth)
    case .later(let shape): depth > 6 ? put("null") : value(shape(), depth: depth)
    }
  }

  private mutating func count(_ depth: Int) -> Int {
    random.chance(20) ? random.below(40) : random.below(depth > 2 ? 3 : 5)
  }
}

// Scalars.
extension DocumentWriter {
  private mutating func put(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func string(_ inside: String) {
    let quote = settings.allowsJSON5 && random.chance(200) ? "'" : "\""
    put(quote)
    put(inside)
    put(quote)
  }

  private mutating func integer(bits: Int, signed: Bool) {
    if random.chance(noise * 2) { return put(random.one(of: Samples.numbers)) }
    if settings.allowsJSON5, random.chance(100) {
      return put("0x\(String(random.below(256), radix: 16))")
    }
    if random.chance(800) || bits < 8 { return put("\(random.below(100))") }
    let value = random.next() >> UInt64(64 - min(bits, 64))
    if signed {
      put("\(Int64(bitPattern: value << UInt64(64 - min(bits, 64))) >> Int64(64 - min(bits, 64)))")
    } else {
      put("\(value)")
    }
    // Adds digits beyond 64 bits.
    if bits > 64, random.chance(500) { put("\(random.below(100_000_000))") }
  }

  private mutating func number() {
    switch random.below(8) {
    case 0 where noise > 0: put(random.one(of: Samples.numbers))
    case 0, 1: put("\(random.below(1000))")
    case 2: put("\(Double(random.below(1_000_000)) / 100)")
    case 3: put("\(Float(bitPattern: UInt32(truncatingIfNeeded: random.next()) & 0xBF7F_FFFF))")
    case 4: put("\(Double(bitPattern: random.next() & 0xBFEF_FFFF_FFFF_FFFF))")
    case 5: digits()
    case 6 where settings.readsFloatWords: string(random.one(of: ["inf", "-inf", "nan"]))
    default: put("\(Double(Int64(bitPattern: random.next()) >> Int64(random.below(60))) / 1024)")
    }
  }

  /// Writes a number of random digits, possibly with a point and an exponent.
  private mutating func digits() {
    if random.chance(500) { put("-") }
    put("\(1 + random.below(9))")
    for _ in 0..<random.below(24) { put("\(random.below(10))") }
    if random.chance(700) {
      put(".")
      for _ in 0...random.below(24) { put("\(random.below(10))") }
    }
    if random.chance(500) {
      put(
        random.one(of: ["e", "E", "e-", "e+"]) + "\(random.below(random.chance(100) ? 400 : 40))")
    }
  }

  private mutating func text() {
    if random.chance(noise == 0 ? 100 : 250) {
      return string(noise == 0 ? Samples.texts[random.below(20)] : random.one(of: Samples.texts))
    }
    let letters = Array("abcdefghijklmnop XYZ-_/:.")
    string(
      String((0..<random.below(random.chance(100) ? 200 : 24)).map { _ in random.one(of: letters) })
    )
  }

  private mutating func date() {
    switch settings.dates {
    case .deferred, .seconds, .milliseconds:
      random.chance(500) ? put("\(random.below(2_000_000_000))") : number()
    case .iso8601:
      if random.chance(150) { return string(random.one(of: Samples.dates)) }
      func two(_ bound: Int, from start: Int = 0) -> String {
        let number = start + random.below(bound)
        return number < 10 ? "0\(number)" : "\(number)"
      }
      let zone =
        random.chance(700) ? "Z" : random.one(of: ["+01:00", "-0800", ".5Z", ".250+02:00"])
      string(
        "\(1900 + random.below(200))-\(two(12, from: 1))-\(two(30, from: 1))T\(two(24)):\(two(60)):\(two(60))\(zone)"
      )
    case .custom:
      random.chance(500)
        ? put("\(random.below(1000))") : string(random.one(of: ["12", "2.5", "path", "x"]))
    }
  }

  private mutating func data() {
    switch settings.bytes {
    case .base64: string(random.chance(500) ? "AAECAwQFBgcICQ==" : random.one(of: Samples.base64))
    case .deferred: value(.array(.integer(bits: 8, signed: false)), depth: 3)
    case .custom: value(.array(.string), depth: 3)
    }
  }
}

// Collections.
extension DocumentWriter {
  private mutating func anything(depth: Int) {
    switch random.below(depth > 4 ? 7 : 10) {
    case 0: put("null")
    case 1: put(random.chance(500) ? "true" : "false")
    case 2, 3: random.chance(300) ? put(random.one(of: Samples.numbers)) : number()
    case 4: integer(bits: 16, signed: true)
    case 5, 6: text()
    case 7, 8: elements(Array(repeating: .anything, count: count(depth)), depth: depth)
    default: dictionary(.words, .anything, depth: depth)
    }
  }

  private mutating func space() {
    if settings.allowsJSON5, random.chance(50) {
      put(random.one(of: ["/* [ */", "// {\n", " \u{A0}"]))
    }
    guard isSpaced, random.chance(600) else { return }
    put(
      random.one(of: [
        " ", "\n", "\t", "\r\n", "  \n    ", "                                        ",
      ]))
  }

  private mutating func elements(_ shapes: [Shape], depth: Int) {
    var shapes = shapes
    if random.chance(noise), !shapes.isEmpty { shapes.removeLast() }
    if random.chance(noise) { shapes.append(.anything) }
    put("[")
    for (index, shape) in shapes.enumerated() {
      if index > 0 { put(",") }
      space()
      value(shape, depth: depth + 1)
      space()
    }
    if random.chance(noise / 3) { put(",") }
    put("]")
  }

  private mutating func dictionary(_ names: Shape.Names, _ shape: Shape, depth: Int) {
    var members: [Shape.Member] = []
    for _ in 0..<count(depth) {
      let name: String =
        switch names {
        case .words:
          random.chance(noise == 0 ? 700 : 300)
            ? Samples.names[random.below(24)] : random.one(of: Samples.names)
        case .integers: random.chance(noise) ? "x" : "\(random.below(200) - 100)"
        case .colors: random.chance(noise) ? "pink" : random.one(of: ColorKey.allCases).rawValue
        }
      if random.chance(800), members.contains(where: { $0.name == name }) { continue }
      members.append(.needs(name, shape))
    }
    object(members, depth: depth)
  }

  private mutating func object(_ members: [Shape.Member], depth: Int) {
    var parts: [[UInt8]] = []
    for member in members where !random.chance(member.isRequired ? noise : 350) {
      parts.append(part(member.name, member.shape, depth: depth))
      // Repeats a name.
      if random.chance(noise) {
        parts.append(part(member.name, random.chance(500) ? member.shape : .anything, depth: depth))
      }
    }
    if random.chance(150 + noise) {
      let extra = part(random.one(of: Samples.names), .anything, depth: depth)
      parts.insert(extra, at: random.below(parts.count + 1))
    }
    if random.chance(300) { parts.shuffle(using: &random) }
    put("{")
    for (index, part) in parts.enumerated() {
      if index > 0 { put(",") }
      bytes.append(contentsOf: part)
    }
    if random.chance(noise / 3) { put(",") }
    put("}")
  }

  /// Returns a member with its name, separate from the other members.
  private mutating func part(_ name: String, _ shape: Shape, depth: Int) -> [UInt8] {
    let start = bytes.count
    space()
    self.name(name, depth: depth)
    space()
    put(":")
    space()
    value(shape, depth: depth + 1)
    space()
    defer { bytes.removeSubrange(start...) }
    return Array(bytes[start...])
  }

  private mutating func name(_ name: String, depth: Int) {
    var name = name
    switch settings.keys {
    case .plain: break
    case .snake:
      if random.chance(850), !name.hasPrefix("\\") { name = Self.snake(name) }
    case .hyphens:
      if random.chance(500), name.utf8.count > 1, !name.contains("\\") {
        name.insert("-", at: name.index(name.startIndex, offsetBy: 1))
      }
    case .depth:
      if random.chance(500) { name = "\(depth + 1).\(name)" }
    }
    if random.chance(10 + noise), let first = name.unicodeScalars.first, first != "\\",
      first.value < 0x10000
    {
      let digits = String(first.value, radix: 16)
      name =
        "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        + String(name.unicodeScalars.dropFirst())
    }
    if settings.allowsJSON5, random.chance(400), !name.isEmpty,
      name.utf8.allSatisfy({ 0x61...0x7A ~= $0 })
    {
      put(name)
    } else {
      string(name)
    }
  }

  /// Converts `fooBar` to `foo_bar`.
  private static func snake(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      if 0x41...0x5A ~= scalar.value {
        result += "_"
        result.unicodeScalars.append(Unicode.Scalar(scalar.value + 32)!)
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
