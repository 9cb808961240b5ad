/// Judges the status of a response; made by `.status(200..<300)` and its like.
///
/// It judges the head. A refused response is read up to ``RequestError/bodyLimit`` for the error, whose kind is
/// ``RequestError/Kind/status``.
public struct StatusValidator: ResponseValidator {
  enum Accepted: Sendable, Hashable {
    case range(Range<Int>)
    case closedRange(ClosedRange<Int>)
    case list([Int])
  }

  /// The default of ``Request/validators``.
  static let standard: [any ResponseValidator] = [StatusValidator(accepted: .range(200..<300))]

  let accepted: Accepted

  /// Refuses a status that is not accepted: `status 503 Service Unavailable is not in 200..<300`.
  public func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
    guard !accepts(head.status.code) else { return .accepted }
    return .refusedWithBody(Refusal("status \(head.status) is not \(expected)", kind: .status))
  }

  private func accepts(_ code: Int) -> Bool {
    switch accepted {
    case .range(let range): range.contains(code)
    case .closedRange(let range): range.contains(code)
    case .list(let codes): codes.contains(code)
    }
  }

  private var expected: String {
    switch accepted {
    case .range(let range): "in \(range)"
    case .closedRange(let range): "in \(range)"
    case .list(let codes): codes.map(String.init).listedWithOr
    }
  }
}

extension ResponseValidator where Self == StatusValidator {
  /// Accepts the statuses in the range; `200..<300` is the default of ``Request/validators``.
  public static func status(_ range: Range<Int>) -> StatusValidator {
    StatusValidator(accepted: .range(range))
  }

  /// Accepts the statuses in the range, its end included: `.status(200...299)`.
  public static func status(_ range: ClosedRange<Int>) -> StatusValidator {
    StatusValidator(accepted: .closedRange(range))
  }

  /// Accepts the statuses named and no other: `.status(200, 304)`.
  public static func status(_ first: Int, _ others: Int...) -> StatusValidator {
    StatusValidator(accepted: .list([first] + others))
  }
}
