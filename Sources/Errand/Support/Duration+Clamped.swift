extension Duration {
  /// Cut to `bound` in either direction, so that sums cannot overflow and clocks can be given it.
  func clamped(to bound: Duration) -> Duration { min(max(self, .zero - bound), bound) }
}
