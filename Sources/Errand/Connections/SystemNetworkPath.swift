extension NetworkPath {
  /// The path reported by `NWPathMonitor` on Apple platforms; elsewhere, the status is always
  /// ``State/Status/unknown``.
  public static let system: NetworkPath = {
    let source = NetworkPathSource(State(.unknown))
    let watch = SystemPathWatch.begin { source.set($0) }
    return NetworkPath(
      state: { source.state }, changes: { withExtendedLifetime(watch) { source.changes() } })
  }()
}
