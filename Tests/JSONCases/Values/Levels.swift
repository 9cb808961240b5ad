/// Types that decode to the last level with few failing attempts.
///
/// In Foundation, the cost of an error is quadratic in its depth.
struct ArrayLevels: CaseValue {
  private let elements: [ArrayLevels]

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    var elements: [ArrayLevels] = []
    while !list.isAtEnd { elements.append(try list.decode(ArrayLevels.self)) }
    self.elements = elements
  }

  func write(to trace: inout Trace) { trace.add(elements) }
}

struct ObjectLevels: CaseValue {
  private let items: [ObjectLevels]

  private enum CodingKeys: String, CodingKey { case items }

  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: CodingKeys.self) else {
      _ = try decoder.singleValueContainer().decode(Int.self)
      items = []
      return
    }
    items = try container.decodeIfPresent(ObjectLevels.self, forKey: .items).map { [$0] } ?? []
  }

  func write(to trace: inout Trace) { trace.add(items) }
}

struct AlternatingLevels: CaseValue {
  private let objects: [Object]

  init(from decoder: any Decoder) throws {
    var list = try decoder.unkeyedContainer()
    var objects: [Object] = []
    while !list.isAtEnd { objects.append(try list.decode(Object.self)) }
    self.objects = objects
  }

  func write(to trace: inout Trace) { trace.add(objects) }

  private struct Object: CaseValue {
    let items: [AlternatingLevels]

    private enum CodingKeys: String, CodingKey { case items }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      // The last level may be a number.
      items =
        (try? container.decodeIfPresent(AlternatingLevels.self, forKey: .items)).flatMap { $0 }.map { [$0] }
        ?? []
    }

    func write(to trace: inout Trace) { trace.add(items) }
  }
}
