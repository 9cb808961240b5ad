public import Errand

extension RequestError.Kind {
  /// A HAR file cannot be read or written, or entries of it were not used.
  public static let recording = RequestError.Kind("recording")
}
