import Errand

/// Fields of a body that is a form; others are ignored.
struct FormBodyCondition: StubCondition {
  let fields: [String: String]

  func difference(in request: ReceivedRequest, _ shown: Shown) -> String? {
    let items = FormItems(request.text)
    let differences = fields.sorted { $0.key < $1.key }.compactMap { name, value in
      WantedValue.equal(value).difference(of: items.values(for: name), named: name, shown)
        .map { "body field \(name) \($0)" }
    }
    return differences.isEmpty ? nil : differences.joined(separator: "; ")
  }
}
