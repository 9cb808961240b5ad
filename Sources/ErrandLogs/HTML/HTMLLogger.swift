public import Errand
public import Foundation

/// Writes dispatches into a page for a browser, as they happen: a list with a waterfall of times, and of each exchange its heads,
/// bodies, attempts, decisions, error and curl command; secrets are hidden by the agent's ``/Errand/Redaction``.
///
/// ```swift
/// let logger = HTMLLogger(directory: URL(fileURLWithPath: "logs"), name: "shop")
/// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [logger])
/// ```
///
/// The page needs no server and no network, and what came from one cannot run in it. Each run has a folder of its own, of pages that are
/// only added to, so that one of a process that crashed opens too. `shop_log_newest.html` leads to the newest:
///
/// ```
/// logs/shop_log_newest.html
/// logs/shop_log_2026-11-24T08-26-48Z/page-1.html
/// logs/shop_log_2026-11-24T08-26-48Z/page-2.html
/// ```
///
/// A dispatch only hands its values over; they are made into text and written on a queue of the logger's own. Where a disk is slower than
/// the requests, what no longer fits is dropped and counted on the page; where it fails, ``problem`` says so, and the requests go on. Copies share one log,
/// and so may several agents. Nothing is logged by agents that have none: give it in debug builds only, if that is what you want.
public struct HTMLLogger: Accessory {
  /// How much of a dispatch is written.
  public enum Detail: Sendable, Hashable {
    /// Nothing: the dispatch is not in the list.
    case nothing
    /// Heads and times; of bodies the size, and no more than that in the curl command.
    case heads
    /// All, but that a placeholder stands for the response's body until ``HTMLLogger/show(_:asBodyOf:)`` says what to write.
    ///
    /// For what can be read only after it was decoded, such as what is encrypted, or packed as Protocol Buffers.
    case deferredBody
    /// All.
    case bodies
  }

  /// What the log may grow to; a number that is too small counts as the least there can be.
  public struct Limits: Sendable, Hashable {
    /// The bytes of a body that are shown; 65,536 by default.
    public var body = 65_536
    /// The bytes of an image that is shown as a picture; 262,144 by default.
    public var image = 262_144
    /// The dispatches of a page, after which another begins; 5,000 by default.
    public var exchangesPerPage = 5_000
    /// The bytes of a page, after which another begins; 32 MiB by default.
    public var pageSize = 33_554_432
    /// The runs whose folders are kept, this one included; 10 by default.
    public var runs = 10
    /// The bytes of all pages of the name, beyond which the oldest are removed; 256 MiB by default.
    public var totalSize = 268_435_456
    /// The events that may wait to be written, those that are being written included; 4,096 by default.
    ///
    /// Up to 32 keep what they are made of, their dispatch included; where more wait, and where that is too much, the text alone waits,
    /// made while the dispatch goes on.
    public var waitingEvents = 4_096
    /// The bytes that may wait to be written, those that are being written included; 16 MiB by default.
    ///
    /// Of an event that waits with its dispatch all bodies in memory count, for up to half of this, and of the others the whole text.
    public var waitingSize = 16_777_216

    /// Makes the default limits.
    public init() {}

    /// What is kept to: nothing negative, one of what there must be one of, and nothing that a sum could overflow with.
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

  /// Makes a logger; nothing is written before the first dispatch.
  ///
  /// - Parameters:
  ///   - directory: where the folders of the runs are kept; made, for its owner alone, where there is none. A URL that is none of a
  ///     file is a ``problem``.
  ///   - name: what their names begin with; `errand` by default. What is no ASCII letter, digit, `_`, `-` or `.` becomes a `-`.
  ///   - limits: what the log may grow to.
  ///   - clock: tells the time of the run and of the beginning of dispatches; the system's by default.
  ///   - detail: how much of a dispatch is written; asked once for each, before it begins, so be quick. `.bodies` by default.
  public init(
    directory: URL, name: String = "errand", limits: Limits = Limits(), clock: AgentClock = .continuous,
    detail: @escaping @Sendable (RequestContext) -> Detail = { _ in .bodies }
  ) {
    let limits = limits.clamped
    let folder = HTMLLogFolder(directory: directory, name: name, started: clock.date, limits: limits)
    recorder = HTMLLogRecorder(folder: folder, limits: limits, clock: clock)
    self.detail = detail
  }

  /// The page that leads to the newest run of the name.
  public var newest: URL { recorder.newest }

  /// Why the last events, or the page that leads to them, could not be written, as a sentence; `nil` when they were.
  ///
  /// A debug build says the first one on standard error too.
  public var problem: String? { recorder.problem }

  /// How many events were lost so far, as they came faster than they could be written, or could not be written at all.
  public var lostEvents: Int { recorder.lost }

  /// Writes a text in the place of the response's body; for dispatches whose ``Detail`` is ``Detail/deferredBody``, from their hooks and
  /// serializers, while they run.
  ///
  /// The text is hidden and cut as a body is. Elsewhere the call does nothing. A later call replaces what an earlier one has written.
  public func show(_ text: String, asBodyOf context: RequestContext) { recorder.show(text, in: context) }

  /// Waits until all that was handed over before is written, or has failed to be.
  ///
  /// Call it before the process exits; what waits then is lost otherwise.
  public func flush() async { await recorder.flush() }

  /// Gives the dispatch its place in the list.
  public func requestWillStart(_ context: RequestContext) async {
    let detail = detail(context)
    if detail != .nothing { recorder.begin(context, detail: detail) }
  }

  /// Writes what is sent.
  public func attemptWillSend(_ request: HTTPRequest, context: RequestContext) async {
    recorder.note(request, in: context)
  }

  /// Writes what was received, why the attempt failed, and what was decided.
  public func attemptDidStop(_ attempt: AttemptReport, context: RequestContext) async {
    recorder.note(attempt, in: context)
  }

  /// Writes how the dispatch ended.
  public func requestDidStop(_ report: ExchangeReport, context: RequestContext) async {
    recorder.end(report, in: context)
  }
}
