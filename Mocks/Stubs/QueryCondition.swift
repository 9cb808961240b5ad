import Errand

/// An item of the query; others are ignored.
struct QueryCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest, _ shown: Shown) -> String? {
    let values = FormItems(request.query ?? "").values(for: name)
    return wanted.difference(of: values, named: name, shown).map { "query item \(name) \($0)" }
  }
}
