final class ListedNames: Sendable, Hashable {
  private let headers: SecretNames
  private let queryItems: SecretNames
  private let fields: SecretNames
  let isEmpty: Bool

  convenience init(queryItems: [String]) {
    self.init(headers: SecretNames(), queryItems: SecretNames(queryItems), fields: SecretNames())
  }

  private init(headers: SecretNames, queryItems: SecretNames, fields: SecretNames) {
    self.headers = headers
    self.queryItems = queryItems
    self.fields = fields
    isEmpty = headers.isEmpty && queryItems.isEmpty && fields.isEmpty
  }

  func adding(headers: [String], queryItems: [String], fields: [String]) -> ListedNames {
    ListedNames(
      headers: self.headers.adding(headers), queryItems: self.queryItems.adding(queryItems),
      fields: self.fields.adding(fields))
  }

  func have(_ place: Redaction.Place, where condition: (SecretNames) -> Bool) -> Bool {
    switch place {
    case .header: condition(headers)
    case .queryItem: condition(queryItems)
    case .field: condition(fields)
    case .text: condition(headers) || condition(queryItems) || condition(fields)
    }
  }

  static func == (a: ListedNames, b: ListedNames) -> Bool {
    a.headers == b.headers && a.queryItems == b.queryItems && a.fields == b.fields
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(headers)
    hasher.combine(queryItems)
    hasher.combine(fields)
  }
}

/// A set of names, searched by the hash and the length of a ``NameScan/Form``, or as text.
struct SecretNames: Sendable, Hashable {
  private var names: Set<SecretName> = []
  /// The hashes of the names that consist of ASCII letters and digits.
  private var hashes: Set<UInt64> = []
  /// A bit for each length of the hashed names; bit 63: 63 bytes or more.
  private var lengths: UInt64 = 0
  /// Names with non-ASCII characters, or without any letter or digit.
  private(set) var textNames: Set<SecretName> = []

  init(_ names: [String] = []) { insert(names) }

  func adding(_ more: [String]) -> SecretNames {
    var names = self
    names.insert(more)
    return names
  }

  var isEmpty: Bool { names.isEmpty }

  private mutating func insert(_ more: [String]) {
    for name in more.map(SecretName.init) where names.insert(name).inserted {
      guard !name.text.isEmpty, name.text.utf8.allSatisfy(ASCII.isAlphanumeric) else {
        textNames.insert(name)
        continue
      }
      var form = NameScan.Form()
      for byte in name.text.utf8 { form.add(byte) }
      hashes.insert(form.hash)
      lengths |= 1 << UInt64(min(form.count, 63))
    }
  }

  func contains(_ form: NameScan.Form) -> Bool {
    lengths >> UInt64(min(form.count, 63)) & 1 == 1 && hashes.contains(form.hash)
  }
}

/// A name in lower case, without ASCII punctuation and spaces.
///
/// A name of only punctuation and spaces keeps both.
struct SecretName: Sendable, Hashable {
  let text: String

  init(_ name: some StringProtocol) {
    let lowercased = name.lowercased()
    let letters = lowercased.unicodeScalars.filter { scalar in
      !scalar.isASCII || ASCII.isAlphanumeric(UInt8(truncatingIfNeeded: scalar.value))
    }
    text = letters.isEmpty ? lowercased : String(String.UnicodeScalarView(letters))
  }

  var isAuthorization: Bool { text == "authorization" || text == "proxyauthorization" }
}

/// Searches a name for secret names and words in one pass.
struct NameScan {
  struct Form {
    private(set) var count = 0
    /// The FNV-1a hash.
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private var end: UInt32 = 0

    mutating func add(_ byte: UInt8) {
      count += 1
      hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
      end = end << 8 | UInt32(byte)
    }

    var looksSecret: Bool { end == NameScan.auth || NameScan.wholes.contains(self) }
  }

  private static let auth: UInt32 = "auth".utf8.reduce(0) { $0 << 8 | UInt32($1) }
  private static let wholes = SecretNames([
    "cookie", "cookie2", "setcookie", "setcookie2", "jwt", "xjwt", "pwd", "pass", "otp", "xotp", "hmac",
    "xhmac", "xpin",
    "samlresponse", "codeverifier", "devicecode",
  ])

  /// Returns true if `isSecret` accepts the name, or a part between brackets or full stops.
  ///
  /// With `words`, also returns true for a name that contains a secret word.
  static func finds(
    in name: UnsafeBufferPointer<UInt8>, words findsWords: Bool, _ isSecret: (Form) -> Bool
  ) -> Bool {
    var (whole, part, hasParts, index) = (Form(), Form(), false, 0)
    var state = SecretWords.start
    while index < name.count {
      var byte = name[index]
      index += 1
      switch byte {
      case 0x30...0x39, 0x61...0x7A: break
      case 0x41...0x5A: byte |= 0x20
      // The Kelvin sign becomes a k in lower case.
      case 0xE2 where index + 1 < name.count && name[index] == 0x84 && name[index + 1] == 0xAA:
        (byte, index) = (UInt8(ascii: "k"), index + 2)
      case 0x80...: break
      case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "."):
        if part.count > 0, isSecret(part) { return true }
        (part, hasParts) = (Form(), true)
        continue
      default: continue
      }
      whole.add(byte)
      part.add(byte)
      if findsWords, SecretWords.isComplete(&state, with: byte) { return true }
    }
    return isSecret(whole) || hasParts && isSecret(part)
  }
}

/// Finds words of secret names in one pass, with an Aho–Corasick automaton.
enum SecretWords {
  static let start: UInt8 = 0

  private static let words = [
    "apikey", "accesskey", "privatekey", "authkey", "token", "secret", "password", "passwd", "passphrase",
    "credential", "signature", "session", "sessid", "authorization", "subscriptionkey", "functionskey",
    "masterkey", "applicationkey", "appkey", "licensekey", "consumerkey", "encryptionkey", "assertion",
  ]

  /// 26 letters, and a common symbol for the remaining bytes.
  private static let symbols = 27
  private static let complete = UInt8.max
  private static let table = makeTable()

  static func isComplete(_ state: inout UInt8, with byte: UInt8) -> Bool {
    let symbol = (0x61...0x7A).contains(byte) ? Int(byte - 0x61) : 26
    state = table[Int(state) * symbols + symbol]
    return state == complete
  }

  /// Makes the transition table, with a row for each state.
  ///
  /// A state is a proper prefix of a word.
  private static func makeTable() -> [UInt8] {
    let beginnings = Set(words.flatMap { word in (0..<word.count).map { String(word.prefix($0)) } }).sorted()
    let numbers = Dictionary(uniqueKeysWithValues: zip(beginnings, UInt8(0)...))
    return beginnings.flatMap { beginning in
      (0..<symbols).map { symbol in
        guard symbol < 26 else { return start }
        var text = Substring(beginning + String(Unicode.Scalar(0x61 + UInt8(symbol))))
        if words.contains(where: { text.hasSuffix($0) }) { return complete }
        while true {
          if let number = numbers[String(text)] { return number }
          text.removeFirst()
        }
      }
    }
  }
}
