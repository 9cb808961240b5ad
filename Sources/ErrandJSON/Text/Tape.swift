/// A tape: an array of ``TapeWord``s that describes the names and values of a text in order.
enum Tape {
  @inline(__always)
  static func next(after index: Int, on words: UnsafePointer<UInt32>) -> Int {
    let word = words[index]
    let kind = TapeWord.kind(word)
    if kind < TapeWord.plain { return index &+ 1 }
    return kind < TapeWord.array ? index &+ 2 : TapeWord.place(word)
  }

  static func count(from first: Int, to end: Int, on words: UnsafePointer<UInt32>) -> Int {
    var (index, count) = (first, 0)
    while index < end {
      index = next(after: index, on: words)
      count &+= 1
    }
    return count
  }
}
