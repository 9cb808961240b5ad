enum JSONPiece {
  /// A value in a byte range of the output buffer.
  case text(Range<Int>)
  /// Consecutive elements of an array in a byte range, with separators.
  case elements(Range<Int>, count: Int)
  /// A value copied out of the output buffer.
  case bytes([UInt8])
  case node(JSONTreeNode)
  /// A super encoder, possibly without a value yet.
  case encoder(JSONTreeEncoder)
}

final class JSONTreeNode {
  let isObject: Bool
  let level: Int
  /// The members with names, or the pieces of an array with empty names.
  private(set) var parts: [(name: String, piece: JSONPiece)] = []
  private(set) var count = 0
  /// The positions of the members by name, for an object with eight members or more.
  private var places: [String: Int] = [:]
  private static let indexThreshold = 8

  init(isObject: Bool, level: Int) {
    self.isObject = isObject
    self.level = level
  }

  func piece(for name: String) -> JSONPiece? { place(of: name).map { parts[$0].piece } }

  /// Adds or replaces a member.
  ///
  /// A replaced member keeps the position and the spelling of the name.
  func set(_ piece: JSONPiece, for name: String) {
    if let place = place(of: name) {
      parts[place].piece = piece
      return
    }
    if parts.count >= Self.indexThreshold { places[name] = parts.count }
    parts.append((name, piece))
    count += 1
    if parts.count == Self.indexThreshold {
      for (place, part) in parts.enumerated() { places[part.name] = place }
    }
  }

  func append(_ piece: JSONPiece) {
    parts.append(("", piece))
    if case .elements(_, let more) = piece { count += more } else { count += 1 }
  }

  private func place(of name: String) -> Int? {
    parts.count < Self.indexThreshold ? parts.firstIndex { $0.name == name } : places[name]
  }
}
