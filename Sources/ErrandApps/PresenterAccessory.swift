public import Errand

/// A view, view controller or model that shows running requests and their errors.
@MainActor
public protocol RequestPresenter: AnyObject, Sendable {
  /// Shows that loading has begun; called when the number of running requests rises from 0 to 1.
  func showLoading()

  /// Ends the display of loading; called when the number of running requests falls to 0.
  func hideLoading()

  /// Shows the error of a failed request; not called for a cancelled request.
  func show(_ error: RequestError)
}

extension RequestPresenter {
  /// Has no effect by default.
  public func showLoading() {}
  /// Has no effect by default.
  public func hideLoading() {}
  /// Has no effect by default.
  public func show(_ error: RequestError) {}
}

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
  /// Reports loading and errors to a presenter.
  ///
  /// ```swift
  /// let agent = RequestAgent(baseURL: "https://api.example.com", accessories: [.presenter(screen)])
  /// ```
  ///
  /// Loading includes the waits for retries. The calls happen on the main actor, and the dispatch waits for
  /// each call. The presenter is not retained.
  ///
  /// `showsLoading: false` omits the calls about loading. `showsErrors: false` omits the calls with errors.
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

  /// Reports loading and errors to closures on the main actor, at the same times as to a presenter.
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
