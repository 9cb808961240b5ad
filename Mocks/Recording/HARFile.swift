import Foundation

/// A HAR 1.2 file: what is read and written of it.
///
/// Reading is lenient: a field that browsers leave out, or write in another type, has a default, unless there is no
/// exchange without it. What is not read is not written either.
struct HARFile: Codable, Sendable {
  struct Log: Codable, Sendable {
    var version = "1.2"
    var creator = Creator()
    var entries: [HAREntry]
  }

  struct Creator: Codable, Sendable {
    var name = "Errand"
    var version = "1"
  }

  var log: Log

  init(entries: [HAREntry]) { log = Log(entries: entries) }

  /// The bytes of the file; the same entries give the same bytes.
  func encoded() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(self) + [0x0A]
  }
}

extension HARFile.Log {
  private enum CodingKeys: CodingKey { case version, creator, entries }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    creator = fields.value(.creator, or: HARFile.Creator())
    entries = try fields.decode([HAREntry].self, forKey: .entries)
  }
}

extension HARFile.Creator {
  private enum CodingKeys: CodingKey { case name, version }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    name = fields.value(.name, or: "")
    version = fields.value(.version, or: "")
  }
}

extension KeyedDecodingContainer {
  /// The value of a field, or another when it is missing, null, or of another type.
  func value<Value: Decodable>(_ key: Key, or other: Value) -> Value {
    (try? decodeIfPresent(Value.self, forKey: key)) ?? other
  }
}
