/// Shows that requests are under way, and what they failed with: a view, a view controller, a model of either.
@MainActor
public protocol RequestPresenter: AnyObject, Sendable {
  /// The first of the requests has started.
  func showLoading()

  /// The last of them has ended.
  func hideLoading()

  /// One of them has failed; never called for a request that was cancelled.
  func show(_ error: RequestError)
}

extension RequestPresenter {
  /// Does nothing.
  public func showLoading() {}
  /// Does nothing.
  public func hideLoading() {}
  /// Does nothing.
  public func show(_ error: RequestError) {}
}

/// Tells of the loading and the errors of the dispatches it watches; made by `.presenter`.
final class PresenterAccessory: Sendable {
  private let isLoading: @MainActor @Sendable (Bool) -> Void
  private let failed: @MainActor @Sendable (RequestError) -> Void
  @MainActor private var count = 0

  init(
    isLoading: @escaping @MainActor @Sendable (Bool) -> Void,
    failed: @escaping @MainActor @Sendable (RequestError) -> Void
  ) {
    self.isLoading = isLoading
    self.failed = failed
  }

  @MainActor
  func requestWillStart() {
    count += 1
    if count == 1 { isLoading(true) }
  }

  @MainActor
  func requestDidStop(_ report: ExchangeReport) {
    count -= 1
    if count == 0 { isLoading(false) }
    if case .failure(let error) = report.outcome { failed(error) }
  }
}

extension Accessory where Self == EventAccessory {
  /// Tells a presenter of the dispatches that the accessory watches.
  ///
  /// Loading is shown once for all dispatches that overlap, from the start of the first to the end of the last, whatever their outcome.
  /// Errors are shown unless the request was cancelled.
  ///
  /// ```swift
  /// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [.presenter(screen)])
  /// ```
  ///
  /// Retries and their waits are part of a dispatch, and so is the time in which it is suspended; for a sign that is off meanwhile there is
  /// `.activity`. Loading is hidden before the error of the last request is shown. Give it to a request by ``Request/accessories`` or
  /// to an agent. A presenter that is released is told no more.
  ///
  /// Everything is called on the main actor, and the dispatch waits for it.
  ///
  /// - Parameters:
  ///   - presenter: what is told; not retained.
  ///   - showsLoading: whether it is told of the start and the end; `true` by default.
  ///   - showsErrors: whether it is told of errors; `true` by default.
  public static func presenter(
    _ presenter: any RequestPresenter, showsLoading: Bool = true, showsErrors: Bool = true
  ) -> EventAccessory {
    .presenter { [weak presenter] isLoading in
      guard showsLoading else { return }
      if isLoading { presenter?.showLoading() } else { presenter?.hideLoading() }
    } failed: { [weak presenter] error in
      if showsErrors { presenter?.show(error) }
    }
  }

  /// Tells closures of the loading and the errors of the dispatches that the accessory watches, as a presenter is told.
  ///
  /// - Parameters:
  ///   - isLoading: called with `true` and `false` in turn.
  ///   - failed: called with each error that is no cancellation; does nothing by default.
  public static func presenter(
    isLoading: @escaping @MainActor @Sendable (Bool) -> Void,
    failed: @escaping @MainActor @Sendable (RequestError) -> Void = { _ in }
  ) -> EventAccessory {
    let accessory = PresenterAccessory(isLoading: isLoading, failed: failed)
    return .onMainActor(
      willStart: { _ in accessory.requestWillStart() },
      didStop: { report, _ in accessory.requestDidStop(report) })
  }
}
