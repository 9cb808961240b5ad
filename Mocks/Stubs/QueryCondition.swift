import Errand

/// An item of the query; others are ignored.
struct QueryCondition: StubCondition {
  let name: String
  let wanted: WantedValue

  func difference(in request: ReceivedRequest) -> String? {
    let values = FormItems(request.query ?? "").values(for: name)
    return wanted.difference(of: values, named: name).map { "query item \(name) \($0)" }
  }
}
