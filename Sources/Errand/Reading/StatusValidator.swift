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
  /// Makes the cause of a refusal of the body; `nil` where it was not asked for.
  private var cause: (@Sendable (HTTPResponse, RequestContext) async throws -> any Error)?
  /// The name of its type, for a body that is none.
  private var causeName = ""

  init(accepted: Accepted) { self.accepted = accepted }

  /// The same, which decodes the body of a refused response as an error of the service's own.
  ///
  /// ```swift
  /// var validators: [any ResponseValidator] { [.status(200..<300).errorBody(ShopProblem.self)] }
  /// ```
  ///
  /// The error is the ``RequestError/cause``: `error.cause(as: ShopProblem.self)`; hooks that decide on retries have it too. The
  /// kind stays ``RequestError/Kind/status``, and policies judge the status as without it. A body that is not of the
  /// type, such as a proxy's web page, leaves the refusal as it is, with the reason added to its message. It is decoded by the
  /// request's decoder, as a value would be. Problems of RFC 9457 need none of it: see ``RequestError/problem``.
  ///
  /// - Parameters:
  ///   - type: what the body is.
  ///   - keyPath: where in the body it is, such as `"error"`; `nil`, the default, is the whole body.
  public func errorBody<Body: Error & Decodable>(
    _ type: Body.Type, keyPath: String? = nil
  ) -> StatusValidator {
    var validator = self
    validator.causeName = "\(type)"
    validator.cause = { try await JSONResponse<Body>(keyPath: keyPath).serialize($0, context: $1) }
    return validator
  }

  /// Refuses a status that is not accepted: `status 503 Service Unavailable is not in 200..<300`.
  public func judge(head: HTTPResponse, context: RequestContext) -> HeadVerdict {
    guard !accepts(head.status.code) else { return .accepted }
    return .refusedWithBody(Refusal("status \(head.status) is not \(expected)", kind: .status))
  }

  /// Adds what the body says, where ``errorBody(_:keyPath:)`` asks for it.
  public func refusal(
    _ error: any Error, of response: HTTPResponse, context: RequestContext
  ) async -> any Error {
    guard let cause, var refusal = error as? Refusal, !response.body.isEmpty else { return error }
    do {
      refusal.cause = try await cause(response, context)
    } catch {
      let reason = (error as? DecodingError)?.clause ?? "\(error)"
      refusal.message += "; its body is no \(causeName): \(reason)"
    }
    return refusal
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

extension Request {
  /// Status 200..<300.
  public var validators: [any ResponseValidator] { StatusValidator.standard }
}

extension [any ResponseValidator] {
  /// Whether they are those of a request that says nothing of validators.
  var areStandard: Bool { count == 1 && (self[0] as? StatusValidator)?.accepted == .range(200..<300) }
}
