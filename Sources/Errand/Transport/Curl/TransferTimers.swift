#if os(Linux)
/// A binary heap of running transfers, ordered by the deadline at the time of insertion.
///
/// Progress moves the deadline of a transfer, but usually not its position in the heap. So an expired timer
/// causes a check, and the transfer may then be inserted again.
struct TransferTimers {
  private var heap: [CurlTransfer] = []

  mutating func insert(_ transfer: CurlTransfer) {
    guard transfer.timerIndex == nil else { return }
    transfer.timer = transfer.deadline
    heap.append(transfer)
    place(transfer, at: heap.count - 1)
    moveUp(from: heap.count - 1)
  }

  mutating func remove(_ transfer: CurlTransfer) {
    guard let index = transfer.timerIndex else { return }
    transfer.timerIndex = nil
    let last = heap.removeLast()
    guard index < heap.count else { return }
    place(last, at: index)
    moveUp(from: index)
    moveDown(from: index)
  }

  mutating func update(_ transfer: CurlTransfer) {
    guard transfer.timerIndex != nil else { return }
    remove(transfer)
    insert(transfer)
  }

  mutating func removeExpired(at now: Int64) -> [CurlTransfer] {
    var expired: [CurlTransfer] = []
    while let first = heap.first, first.timer <= now {
      remove(first)
      expired.append(first)
    }
    return expired
  }

  /// The time until the first timer in milliseconds, rounded up, and at most 60,000.
  func milliseconds(from now: Int64) -> Int32 {
    guard let first = heap.first, first.timer - now < 60_000_000_000 else { return 60_000 }
    return Int32((max(0, first.timer - now) + 999_999) / 1_000_000)
  }

  private mutating func place(_ transfer: CurlTransfer, at index: Int) {
    heap[index] = transfer
    transfer.timerIndex = index
  }

  private mutating func moveUp(from start: Int) {
    var index = start
    while index > 0, heap[index].timer < heap[(index - 1) / 2].timer {
      swap(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private mutating func moveDown(from start: Int) {
    var index = start
    while true {
      var child = 2 * index + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, heap[child + 1].timer < heap[child].timer { child += 1 }
      guard heap[child].timer < heap[index].timer else { return }
      swap(index, child)
      index = child
    }
  }

  private mutating func swap(_ a: Int, _ b: Int) {
    let (first, second) = (heap[a], heap[b])
    place(second, at: a)
    place(first, at: b)
  }
}
#endif
