/// The decisions of an attempt about the server's load: the limit on attempts, and a copy of the request.
package struct AttemptLoad: Sendable {
  /// The decision whether to send a copy of a slow request.
  package struct Hedge: Sendable, Hashable {
    /// The reason for or against a copy, as a clause.
    package var reason: String
    /// The time from the start of the transfer until a copy was due; `nil`: no copy was planned.
    package var delay: Duration?
    /// True if a copy was due, but the ``reason`` prevented the copy.
    package var isRefused = false
    /// `nil`: no copy was sent.
    package var copy: Copy?

    package init(reason: String, delay: Duration? = nil) { (self.reason, self.delay) = (reason, delay) }
  }

  /// A copy of the request, and the race against the original transfer.
  package struct Copy: Sendable, Hashable {
    /// The start of the copy, counted from the start of the original transfer.
    package var begun: Duration
    /// True if the response to the copy was used.
    package var isWinner = false
    /// The time from the start of the original transfer until the end of the race.
    package var decided = Duration.zero
    /// The failure of the loser before the end of the race, as a clause; `nil`: the loser was cancelled.
    package var loserFailure: String?

    package init(begun: Duration) { self.begun = begun }
  }

  /// The adaptive limit after the attempt; `nil`: the limit is fixed, or the attempt measured nothing.
  package var limit: Int?
  /// The reason for which the attempt changed the ``limit``, as a clause; `nil`: no change.
  package var limitReason: String?
  /// `nil`: no decision was made, for example because hedging is off.
  package var hedge: Hedge?

  package init() {}
}

/// Holds an ``AttemptLoad`` in an object, to keep the report small.
final class AttemptLoadBox: Sendable {
  let load: AttemptLoad

  init(_ load: AttemptLoad) { self.load = load }
}

extension AttemptReport {
  /// The decisions about load; `nil`: none.
  package var load: AttemptLoad? { loadBox?.load }
}

extension AttemptLoad {
  /// The change of the limit, and the copy that was due, as sentences.
  var notes: [String] {
    let change = limitReason.flatMap { reason in
      limit.map { "Limit of simultaneous attempts: \($0), because \(reason)." }
    }
    return [change, hedge?.note].compactMap(\.self)
  }
}

extension AttemptLoad.Hedge {
  fileprivate var note: String? {
    if isRefused { return "No copy was sent, because \(reason)." }
    guard let copy else { return nil }
    let begun = "A copy was sent after \(copy.begun.seconds), because \(reason)."
    let (winner, loser) = copy.isWinner ? ("copy", "first request") : ("first request", "copy")
    let end = copy.loserFailure.map { "failed: \($0)" } ?? "was cancelled"
    return "\(begun) The \(winner) ended the race after \(copy.decided.seconds), and the \(loser) \(end)."
  }
}

struct AttemptLoadRecord: Codable {
  private struct HedgeRecord: Codable {
    var reason: String
    var delay: Seconds?
    var isRefused: Bool
    var begun: Seconds?
    var isWinner: Bool?
    var decided: Seconds?
    var loserFailure: String?
  }

  private var limit: Int?
  private var limitReason: String?
  private var hedge: HedgeRecord?

  init(_ load: AttemptLoad, redaction: Redaction) {
    limit = load.limit
    limitReason = load.limitReason.map(redaction.text)
    hedge = load.hedge.map { hedge in
      HedgeRecord(
        reason: redaction.text(hedge.reason), delay: hedge.delay.map(Seconds.init),
        isRefused: hedge.isRefused,
        begun: (hedge.copy?.begun).map(Seconds.init), isWinner: hedge.copy?.isWinner,
        decided: (hedge.copy?.decided).map(Seconds.init),
        loserFailure: (hedge.copy?.loserFailure).map(redaction.text))
    }
  }

  var load: AttemptLoad {
    var load = AttemptLoad()
    (load.limit, load.limitReason) = (limit, limitReason)
    guard let hedge else { return load }
    load.hedge = AttemptLoad.Hedge(reason: hedge.reason, delay: hedge.delay?.duration)
    load.hedge?.isRefused = hedge.isRefused
    guard let begun = hedge.begun else { return load }
    var copy = AttemptLoad.Copy(begun: begun.duration)
    copy.isWinner = hedge.isWinner ?? false
    copy.decided = hedge.decided?.duration ?? .zero
    copy.loserFailure = hedge.loserFailure
    load.hedge?.copy = copy
    return load
  }
}
