struct JSONMember: BitwiseCopyable {
  /// The position of the name, after the opening quote.
  let key: Int
  /// The length of the name in bytes, including escapes.
  let length: Int
  let hash: UInt32

  var range: Range<Int> { key..<key + length }

  func name(in state: UnsafeMutablePointer<JSONWritingSession.State>) -> String {
    state.pointee.buffer.withBytes(range) { JSONWrittenText.string($0) }
  }
}

enum JSONMemberNames {
  private static var indexThreshold: Int { 64 }

  /// Returns true if no earlier name has the same bytes.
  ///
  /// For 64 or more earlier names, returns `nil`, because the linear search would be slow.
  @inline(never)
  static func isNew(
    _ member: JSONMember, after first: Int, in state: UnsafeMutablePointer<JSONWritingSession.State>
  ) -> Bool? {
    let count = state.pointee.members.count
    if count - first >= indexThreshold { return nil }
    for place in first..<count {
      let other = state.pointee.members[place]
      guard other.hash == member.hash, other.length == member.length else { continue }
      let isSame = state.pointee.buffer.withBytes(0..<state.pointee.buffer.count) { bytes in
        bytes[other.range].elementsEqual(bytes[member.range])
      }
      if isSame { return false }
    }
    return true
  }

  static func all(after first: Int, in state: UnsafeMutablePointer<JSONWritingSession.State>) -> Set<String> {
    Set((first..<state.pointee.members.count).map { state.pointee.members[$0].name(in: state) })
  }
}

/// Sorts members by the UTF-8 bytes of the names, for `.sortedKeys`.
enum JSONMemberSorting {
  private struct Entry {
    /// At most eight bytes of the name; the first byte is in the highest bits.
    let prefix: UInt64
    let name: Range<Int>
    let end: Int
  }

  /// Sorts the members from `first` on; `separator` is the number of bytes between two members.
  static func sort(
    after first: Int, separator: Int, in state: UnsafeMutablePointer<JSONWritingSession.State>
  ) {
    let all = state.pointee.buffer.count
    let ordered = state.pointee.buffer.withBytes(0..<all) { bytes in
      let entries = entries(after: first, separator: separator, of: bytes, in: state)
      if entries.contains(where: { bytes[$0.name].contains(0x5C) }) {
        return sortedByNames(entries, in: bytes)
      }
      var isSorted = true
      for index in entries.indices.dropFirst() where isSorted {
        isSorted = precedes(entries[index - 1], entries[index], in: bytes)
      }
      return isSorted ? [] : entries.sorted { precedes($0, $1, in: bytes) }
    }
    if ordered.isEmpty { return }
    let start = state.pointee.members[first].key - 1
    state.pointee.scratch.cut(to: 0)
    state.pointee.buffer.withBytes(0..<all) { bytes in
      for (index, entry) in ordered.enumerated() {
        if index > 0 {
          state.pointee.scratch.append(
            rebasing(bytes, to: separatorRange(after: first, separator: separator, in: state)))
        }
        state.pointee.scratch.append(rebasing(bytes, to: entry.name.lowerBound - 1..<entry.end))
      }
    }
    state.pointee.buffer.replace(from: start, with: state.pointee.scratch)
  }

  private static func rebasing(
    _ bytes: UnsafeBufferPointer<UInt8>, to range: Range<Int>
  ) -> UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: bytes[range]) }

  private static func separatorRange(
    after first: Int, separator: Int, in state: UnsafeMutablePointer<JSONWritingSession.State>
  ) -> Range<Int> {
    let end = state.pointee.members[first + 1].key - 1
    return end - separator..<end
  }

  private static func entries(
    after first: Int, separator: Int, of bytes: UnsafeBufferPointer<UInt8>,
    in state: UnsafeMutablePointer<JSONWritingSession.State>
  ) -> [Entry] {
    let count = state.pointee.members.count
    return (first..<count).map { place in
      let member = state.pointee.members[place]
      let end = place + 1 < count ? state.pointee.members[place + 1].key - 1 - separator : bytes.count
      var prefix: UInt64 = 0
      if member.length > 0, let base = bytes.baseAddress {
        // Names contain no zero byte, so a prefix padded with zeros sorts before a longer name.
        let unused = UInt64(max(0, 8 - member.length)) * 8
        prefix = ((JSONWord.load(base + member.key, left: member.length) << unused) >> unused).byteSwapped
      }
      return Entry(prefix: prefix, name: member.range, end: end)
    }
  }

  @inline(__always)
  private static func precedes(_ left: Entry, _ right: Entry, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    if left.prefix != right.prefix { return left.prefix < right.prefix }
    return bytes[left.name].lexicographicallyPrecedes(bytes[right.name])
  }

  private static func sortedByNames(_ entries: [Entry], in bytes: UnsafeBufferPointer<UInt8>) -> [Entry] {
    let named = entries.map { (entry: $0, name: JSONWrittenText.string(rebasing(bytes, to: $0.name))) }
    return named.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }.map(\.entry)
  }
}
