extension NetworkPath {
  /// The system's network path: `NWPathMonitor` on Apple platforms; elsewhere ``State/Status/unknown``.
  public static let system: NetworkPath = {
    let source = NetworkPathSource(State(.unknown))
    let watch = SystemPathWatch.begin { source.set($0) }
    return NetworkPath(
      state: { source.state }, changes: { withExtendedLifetime(watch) { source.changes() } })
  }()
}
