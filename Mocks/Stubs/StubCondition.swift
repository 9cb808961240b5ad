/// What a stub asks of a request besides method and place.
protocol StubCondition: Sendable {
  /// What differs, in words such as `header Accept is missing, not text/plain`; `nil` when the request meets it.
  ///
  /// - Parameter shown: how values of request and stub are written.
  func difference(in request: ReceivedRequest, _ shown: Shown) -> String?
}

extension [any StubCondition] {
  func areMet(by request: ReceivedRequest) -> Bool {
    allSatisfy { $0.difference(in: request, .standard) == nil }
  }
}
