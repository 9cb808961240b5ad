import Foundation

/// Types of Foundation whose own decoding ends the process for some documents; here such a document is an error.
enum GuardedType {
  case urlComponents, indexSet, characterSet

  /// `nil` for all other types.
  init?<Value>(_ type: Value.Type) {
    if type == URLComponents.self {
      self = .urlComponents
    } else if type == IndexSet.self {
      self = .indexSet
    } else if type == CharacterSet.self {
      self = .characterSet
    } else {
      return nil
    }
  }

  private enum Name: String, CodingKey {
    case scheme, port
    case indexes, location, length
    case bitmap
  }

  /// Throws `DecodingError.dataCorrupted` for a value that Foundation would end the process for.
  ///
  /// What cannot be read in another way is left to Foundation, which throws.
  func check(_ place: JSONPlace) throws {
    guard let container = try? place.container(keyedBy: Name.self), let problem = problem(container) else {
      return
    }
    throw DecodingError.dataCorrupted(.init(codingPath: place.codingPath, debugDescription: problem))
  }

  private func problem(_ container: KeyedDecodingContainer<Name>) -> String? {
    switch self {
    case .urlComponents:
      if let scheme = try? container.decodeIfPresent(String.self, forKey: .scheme), !Self.isScheme(scheme) {
        return "The scheme of URLComponents is none."
      }
      let port = try? container.decodeIfPresent(Int.self, forKey: .port)
      return (port ?? 0) < 0 ? "The port of URLComponents is negative." : nil
    case .indexSet:
      guard var ranges = try? container.nestedUnkeyedContainer(forKey: .indexes) else { return nil }
      while !ranges.isAtEnd {
        guard let range = try? ranges.nestedContainer(keyedBy: Name.self),
          let location = try? range.decode(Int.self, forKey: .location),
          let length = try? range.decode(Int.self, forKey: .length)
        else { return nil }
        if length < 0 || location.addingReportingOverflow(length).overflow {
          return "A range of IndexSet is none."
        }
      }
      return nil
    case .characterSet:
      let bitmap = try? container.decode(Data.self, forKey: .bitmap)
      return bitmap?.isEmpty == true ? "The bitmap of CharacterSet is empty." : nil
    }
  }

  /// RFC 3986 section 3.1.
  private static func isScheme(_ text: String) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { 0x61...0x7A ~= byte | 0x20 }
    guard let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { byte in
      isLetter(byte) || 0x30...0x39 ~= byte || [0x2B, 0x2D, 0x2E].contains(byte)
    }
  }
}
