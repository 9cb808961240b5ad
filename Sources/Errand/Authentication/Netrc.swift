public import Foundation

/// Names and passwords by host, in the `.netrc` format of ftp and curl.
///
/// ```swift
/// configuration.authenticator = PasswordAuthenticator(netrc: try Netrc(file: Netrc.standardFile))
/// ```
///
/// Of several entries for a host, the first is used.
public struct Netrc: Sendable {
  /// The credentials by host; the value is `nil` if the host's first entry lacks the login or the password.
  private var machines: [String: BasicCredentials?] = [:]
  /// `nil` without a `default` entry; `.some(nil)` if the first `default` entry lacks the login or the
  /// password.
  private var defaultCredentials: BasicCredentials??

  /// The file of the environment variable `NETRC`, or `.netrc` in the user's home directory.
  public static var standardFile: URL {
    if let path = ProcessInfo.processInfo.environment["NETRC"], !path.isEmpty {
      return URL(fileURLWithPath: path)
    }
    return URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent(".netrc")
  }

  /// Reads a file of at most 1 MiB; only the owner may have access to the file.
  ///
  /// - Throws: ``FileError``.
  public init(file: URL) throws {
    do throws(RegularFile.Problem) {
      guard let data = try PrivateFile.read(file.path, limit: Self.sizeLimit) else {
        throw RegularFile.Problem("does not exist")
      }
      try PrivateFile.checkRights(file.path)
      try self.init(words: Self.words(of: data))
    } catch {
      throw FileError(path: file.path, problem: error)
    }
  }

  /// Reads a text.
  ///
  /// - Throws: ``FileError``.
  public init(_ text: String) throws {
    do throws(RegularFile.Problem) {
      try self.init(words: Self.words(of: Data(text.utf8)))
    } catch {
      throw FileError(path: "", problem: error)
    }
  }

  private static let sizeLimit: Int64 = 1 << 20

  /// The credentials of a host in any letter case, or of `default` if the host has no entry.
  public subscript(host: String) -> BasicCredentials? {
    if let named = machines[Self.key(host)] { return named }
    return defaultCredentials ?? nil
  }

  private static func key(_ host: String) -> String {
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    return (isBracketed ? host.dropFirst().dropLast() : host[...]).lowercased()
  }

  private init(words: [String]) throws(RegularFile.Problem) {
    var rest = words[...]
    while let word = rest.popFirst() {
      switch word {
      case "machine":
        guard let host = rest.popFirst() else { throw RegularFile.Problem("ends after \"machine\"") }
        let found = try Self.credentials(&rest)
        if machines[Self.key(host)] == nil { machines.updateValue(found, forKey: Self.key(host)) }
      case "default":
        let found = try Self.credentials(&rest)
        if defaultCredentials == nil { defaultCredentials = .some(found) }
      default: throw RegularFile.Problem("has an unexpected word instead of \"machine\" or \"default\"")
      }
    }
  }

  private static func credentials(_ rest: inout ArraySlice<String>) throws(RegularFile.Problem)
    -> BasicCredentials?
  {
    var (login, password): (String?, String?) = (nil, nil)
    while let word = rest.first, word != "machine", word != "default" {
      rest.removeFirst()
      guard let value = rest.popFirst() else {
        throw RegularFile.Problem("ends after a word without its value")
      }
      switch word {
      case "login": login = value
      case "password": password = value
      case "account": break
      default: throw RegularFile.Problem("has an unknown word")
      }
    }
    guard let login, let password else { return nil }
    guard let credentials = BasicCredentials(username: login, password: password) else {
      throw RegularFile.Problem("has a login or a password with a forbidden character")
    }
    return credentials
  }

  private static func words(of data: Data) throws(RegularFile.Problem) -> [String] {
    var words: [String] = []
    var isMacro = false
    // True after a keyword that needs a value. The value may equal a keyword, or stand on the next line.
    var expectsValue = false
    for line in data.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if isMacro {
        isMacro = !line.allSatisfy(ASCII.isWhitespace)
        continue
      }
      var rest = line
      while let word = try nextWord(&rest) {
        isMacro = word == "macdef" && !expectsValue
        if isMacro { break }
        expectsValue = !expectsValue && ["machine", "login", "password", "account"].contains(word)
        words.append(word)
      }
    }
    return words
  }

  private static func nextWord(_ rest: inout Data) throws(RegularFile.Problem) -> String? {
    rest = rest.drop(while: ASCII.isWhitespace)
    guard let first = rest.first, first != UInt8(ascii: "#") else { return nil }
    guard first == UInt8(ascii: "\"") else {
      let word = rest.prefix { !ASCII.isWhitespace($0) }
      rest = rest.dropFirst(word.count)
      return String(decoding: word, as: UTF8.self)
    }
    var word: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") { return String(decoding: word, as: UTF8.self) }
      guard byte == UInt8(ascii: "\\") else {
        word.append(byte)
        continue
      }
      if let escaped = rest.popFirst() { word.append(escaped) }
    }
    throw RegularFile.Problem("has an unclosed quotation mark")
  }
}

extension Netrc: PrintedByDescription {
  /// The host names, and `default` for a `default` entry; without credentials.
  public var description: String {
    (machines.keys.sorted() + (defaultCredentials == nil ? [] : ["default"])).joined(separator: ", ").printed
  }
  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
