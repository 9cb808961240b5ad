import Testing

@testable import Errand

@Suite("Queues")
struct FIFOQueueTests {
  private final class Element: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  @Test(
    "Elements leave in order of arrival, each is moved at most once, and none is kept",
    arguments: 1...4)
  func order(_ seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var (queue, model, last) = (FIFOQueue<Element>(), [Int](), 0)
    func next() -> Element {
      last += 1
      model.append(last)
      return Element(last)
    }
    for _ in 0..<1_000 {
      switch random.below(6) {
      case 0, 1: queue.append(next())
      case 2: queue.append(contentsOf: (0..<random.below(4)).map { _ in next() })
      case 3:
        let divisor = 2 + random.below(5)
        queue.removeAll { $0.number % divisor == 0 }
        model.removeAll { $0 % divisor == 0 }
      default:
        weak var taken: Element?
        do {
          let element = queue.popFirst()
          #expect(element?.number == (model.isEmpty ? nil : model.removeFirst()))
          taken = element
        }
        #expect(taken == nil)
      }
      #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
      #expect(queue.first?.number == model.first)
    }
    #expect(queue.moves <= last)
  }
}
