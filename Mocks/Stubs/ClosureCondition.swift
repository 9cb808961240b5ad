/// A condition in the words and the code of a test.
struct ClosureCondition: StubCondition {
  let words: String
  let isMet: @Sendable (ReceivedRequest) -> Bool

  func difference(in request: ReceivedRequest, _ shown: Shown) -> String? {
    isMet(request) ? nil : "not so: \(words)"
  }
}
