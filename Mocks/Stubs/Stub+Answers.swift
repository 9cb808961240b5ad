import Errand

/// How often it answers, and with what.
extension Stub {
  /// This stub for so many answers: then it is spent, and the next stub that matches is asked.
  ///
  /// Without it a stub repeats its last answer for ever; with `.times(2)`, two answers are given once each. None and
  /// fewer is a stub that never answers.
  public func times(_ count: Int) -> Stub {
    var copy = self
    copy.limit = max(count, 0)
    return copy
  }

  /// This stub with other answers before its own, such as failures before the value of a typed stub.
  ///
  ///     Stub(answering: GetUser(id: 7), with: ada).after(.status(503), .fault(.reset))
  public func after(_ answers: MockAnswer...) -> Stub {
    var copy = self
    copy.answers = answers + (copy.answers.isEmpty ? [.status(200)] : copy.answers)
    return copy
  }
}
