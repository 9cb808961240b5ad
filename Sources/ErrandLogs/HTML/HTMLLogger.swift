public import Errand
public import Foundation

/// Writes dispatches to pages for a browser while the dispatches run.
///
/// For an exchange, the page can show heads, bodies, attempts, decisions, error and curl command. Secrets are
/// hidden by the agent's ``/Errand/Redaction``.
///
/// ```swift
/// let logger = HTMLLogger(directory: URL(fileURLWithPath: "logs"), name: "shop")
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [logger])
/// ```
///
/// The page needs no server and no network, and network content cannot run as script. Each logger has its own
/// folder of pages. `shop_log_newest.html` opens the newest page:
///
/// ```
/// logs/shop_log_newest.html
/// logs/shop_log_2026-11-24T08-26-48Z/page-1.html
/// logs/shop_log_2026-11-24T08-26-48Z/page-2.html
/// ```
///
/// The logger writes on its own queue. If the disk is slower than the requests, excess events are dropped and
/// counted on the page. If the disk fails, ``problem`` has the reason, and the requests continue. Copies of a
/// logger share a log, and several agents may share a logger.
public struct HTMLLogger: Accessory {
  /// The amount of output for a dispatch.
  public enum Detail: Sendable, Hashable {
    /// No output: the dispatch is not in the list.
    case nothing
    /// Heads and times. For bodies, the list and the curl command have only the size.
    ///
    /// The text of an error may quote the response body.
    case heads
    /// Everything except the response body; ``HTMLLogger/show(_:asBodyOf:)`` can supply a text later.
    ///
    /// For bodies that are readable only after decoding, such as encrypted data or Protocol Buffers.
    case deferredBody
    /// Everything, with bodies in memory up to the limits.
    case bodies
  }

  /// The limits of the log.
  ///
  /// A value that is too small counts as the minimum.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of visible bytes of a text body; 65,536 by default.
    public var body = 65_536
    /// The maximum size in bytes of an image shown as a picture; 262,144 by default.
    public var image = 262_144
    /// The maximum number of dispatches on a page; 5,000 by default.
    public var exchangesPerPage = 5_000
    /// The maximum size of a page in bytes; 32 MiB by default.
    ///
    /// Later events of a page's dispatches may exceed the size.
    public var pageSize = 33_554_432
    /// The number of runs, including the current run, beyond which unused old folders are removed; 10 by
    /// default.
    public var runs = 10
    /// The total size in bytes above which a new page removes the oldest pages; 256 MiB by default.
    ///
    /// The pages of all runs with the name count. The page of the oldest running dispatch stays.
    public var totalSize = 268_435_456
    /// The maximum number of events that wait or are being written; 4,096 by default.
    public var waitingEvents = 4_096
    /// The approximate maximum number of bytes that wait or are being written; 16 MiB by default.
    public var waitingSize = 16_777_216

    /// Creates the default limits.
    public init() {}

    /// The limits in the permitted range: at least the minimum, and small enough that sums cannot overflow.
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
  /// Nothing is written before the first dispatch.
  ///
  /// - Parameters:
  ///   - directory: the directory for the folders of the runs, created for the owner alone if missing. A URL
  ///     with another scheme than `file` is reported as a ``problem``.
  ///   - name: the prefix of the folder names, up to 100 characters; `errand` by default. Characters except
  ///     ASCII letters, digits, `_`, `-` and `.` become `-`.
  ///   - limits: the limits of the log.
  ///   - clock: the clock for the starts of the run, the dispatches and the requests; the system's clock by
  ///     default.
  ///   - detail: returns the amount of output for a dispatch; `.bodies` by default. Called once at the start
  ///     of each dispatch, so the closure must be fast.
  public init(
    directory: URL, name: String = "errand", limits: Limits = Limits(), clock: AgentClock = .continuous,
    detail: @escaping @Sendable (RequestContext) -> Detail = { _ in .bodies }
  ) {
    let limits = limits.clamped
    let folder = HTMLLogFolder(directory: directory, name: name, started: clock.date, limits: limits)
    recorder = HTMLLogRecorder(folder: folder, limits: limits, clock: clock)
    self.detail = detail
  }

  /// The leading page, which opens the page created last.
  public var newest: URL { recorder.newest }

  /// The reason for the failure of the last write, as a sentence; otherwise `nil`.
  public var problem: String? { recorder.problem }

  /// The number of events missing from the log, because the queue was full or a page could not be written.
  public var lostEvents: Int { recorder.lost }

  /// Writes a text in place of the response's body.
  ///
  /// Call the method in hooks and serializers of a running dispatch with ``Detail/deferredBody``. For other
  /// dispatches, the call has no effect. The text is redacted and truncated like a body.
  public func show(_ text: String, asBodyOf context: RequestContext) { recorder.show(text, in: context) }

  /// Waits until all earlier events are written, or could not be written.
  ///
  /// Call `flush` before the process exits. Otherwise, waiting events may be lost.
  public func flush() async { await recorder.flush() }

  /// Adds the dispatch to the list, if the detail is not ``Detail/nothing``.
  public func requestWillStart(_ context: RequestContext) async {
    let detail = detail(context)
    if detail != .nothing { recorder.begin(context, detail: detail) }
  }

  /// Writes the sent request.
  public func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    recorder.note(request, in: context)
  }

  /// Writes the received response, the reason for a failure, and the decisions.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    recorder.note(attempt, in: context)
  }

  /// Writes the outcome of the dispatch.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    recorder.end(report, in: context)
  }
}
