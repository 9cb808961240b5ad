import Errand

/// A header field; the name is compared in any case, the value as it is.
struct HeaderCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest, _ shown: Shown) -> String? {
    let values = request.headers.values(for: name)
    return wanted.difference(of: values, named: name, shown).map { "header \(name) \($0)" }
  }
}
