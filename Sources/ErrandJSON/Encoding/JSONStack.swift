struct JSONStack<Element: BitwiseCopyable>: ~Copyable {
  private var memory: UnsafeMutablePointer<Element>?
  private(set) var count = 0
  private var capacity = 0

  deinit { memory?.deallocate() }

  /// The start of the memory; valid after the first ``push(_:)``.
  private var base: UnsafeMutablePointer<Element> {
    @inline(__always) get { memory.unsafelyUnwrapped }
  }

  @inline(__always)
  mutating func push(_ element: Element) {
    if count == capacity { grow() }
    (base + count).initialize(to: element)
    count &+= 1
  }

  @inline(__always)
  mutating func cut(to place: Int) {
    assert(place <= count)
    count = place
  }

  subscript(place: Int) -> Element {
    @inline(__always) get {
      assert(place < count)
      return base[place]
    }
  }

  @inline(never)
  private mutating func grow() {
    let wanted = max(32, capacity * 2)
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: wanted)
    if let memory { larger.moveInitialize(from: memory, count: count) }
    memory?.deallocate()
    (memory, capacity) = (larger, wanted)
  }
}
