public import Errand
public import Foundation

/// Writes dispatches to HTML pages while the dispatches run.
///
/// By default, a page shows heads, bodies, attempts, decisions, errors and curl commands. Secrets are hidden
/// by the agent's ``/Errand/Redaction``.
///
/// ```swift
/// let logger = HTMLLogger(directory: URL(fileURLWithPath: "logs"), name: "shop")
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [logger])
/// ```
///
/// The page needs no server and no network. `logs/shop_log_newest.html` opens the newest page.
///
/// If more events wait than the limits allow, events are dropped; see ``lostEvents``. If a write fails,
/// ``problem`` has the reason. Several agents may share a logger.
public struct HTMLLogger: Accessory {
  /// The amount of output for a dispatch.
  public enum Detail: Sendable, Hashable {
    /// The dispatch is not in the list.
    case nothing
    /// Everything except bodies. Sizes are shown, and errors may quote the response body.
    case heads
    /// Everything except the response body. Errors may quote the response body.
    ///
    /// The app may supply a text by ``HTMLLogger/show(_:asBodyOf:)``, for example for encrypted data or
    /// Protocol Buffers.
    case deferredBody
    /// Everything, with bodies in memory up to the limits.
    case bodies
  }

  /// The limits of the log.
  ///
  /// Each limit has a minimum of 0 or 1. A lower value counts as the minimum.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of visible bytes of a text body; 65,536 by default.
    public var body = 65_536
    /// The maximum size in bytes of an image shown as a picture; 262,144 by default.
    public var image = 262_144
    /// The usual maximum number of dispatches on a page; 5,000 by default.
    public var exchangesPerPage = 5_000
    /// The size of a page in bytes from which the next dispatch starts a new page; 32 MiB by default.
    public var pageSize = 33_554_432
    /// The maximum number of kept runs; 10 by default.
    ///
    /// Older folders are removed, unless in use.
    public var runs = 10
    /// The total size in bytes above which a new page removes old pages; 256 MiB by default.
    public var totalSize = 268_435_456
    /// The maximum number of events waiting or being written; 4,096 by default.
    public var waitingEvents = 4_096
    /// The approximate maximum number of bytes waiting or being written; 16 MiB by default.
    public var waitingSize = 16_777_216

    /// Creates the default limits.
    public init() {}

    /// The limits within the valid ranges; the upper bound prevents an overflow of sums.
    var clamped: Limits {
      let least: [(WritableKeyPath<Limits, Int>, Int)] = [
        (\.body, 0), (\.image, 0), (\.exchangesPerPage, 1), (\.pageSize, 1), (\.runs, 1), (\.totalSize, 0),
        (\.waitingEvents, 1), (\.waitingSize, 0),
      ]
      return least.reduce(into: self) { limits, bound in
        limits[keyPath: bound.0] = min(max(limits[keyPath: bound.0], bound.1), .max / 4)
      }
    }
  }

  private let recorder: HTMLLogRecorder
  private let detail: @Sendable (RequestContext) -> Detail

  /// Creates a logger.
  ///
  /// No file is created before the first dispatch.
  ///
  /// - Parameters:
  ///   - limits: The limits of the log.
  ///   - directory: the directory for the logs, created if missing.
  ///   - name: the prefix of the file names, up to 100 characters.
  ///   - clock: the clock for the times of dispatches and sent requests.
  ///   - detail: the amount of output for a dispatch; must be fast.
  public init(
    directory: URL, name: String = "errand", limits: Limits = Limits(), clock: AgentClock = .continuous,
    detail: @escaping @Sendable (RequestContext) -> Detail = { _ in .bodies }
  ) {
    let limits = limits.clamped
    let folder = HTMLLogFolder(directory: directory, name: name, started: clock.date, limits: limits)
    recorder = HTMLLogRecorder(folder: folder, limits: limits, clock: clock)
    self.detail = detail
  }

  /// The page that opens the newest page.
  public var newest: URL { recorder.newest }

  /// The reason why the last write failed; `nil` after a success, and before the first write.
  public var problem: String? { recorder.problem }

  /// The number of events that were dropped or could not be written.
  public var lostEvents: Int { recorder.lost }

  /// Writes a text in place of the response body.
  ///
  /// The text is shown only in a running dispatch with ``Detail/deferredBody``, redacted and truncated.
  public func show(_ text: String, asBodyOf context: RequestContext) { recorder.show(text, in: context) }

  /// Waits until earlier events are written or lost.
  ///
  /// Call `flush` before the process exits.
  public func flush() async { await recorder.flush() }

  /// Adds the dispatch to the list, unless the detail is `.nothing`.
  public func requestWillStart(_ context: RequestContext) async {
    let detail = detail(context)
    if detail != .nothing { recorder.begin(context, detail: detail) }
  }

  /// Writes the sent request.
  public func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    recorder.note(request, in: context)
  }

  /// Writes the result and the decisions of the attempt.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    recorder.note(attempt, in: context)
  }

  /// Writes the outcome of the dispatch.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    recorder.end(report, in: context)
  }
}
