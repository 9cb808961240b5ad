import Foundation

extension RequestBody {
  /// The bytes for one who reads them before they are sent, such as a signature's digest; `nil` for a body that can be
  /// produced only once.
  ///
  /// A body in memory is one chunk; a replayable stream is produced anew. Errand has no digest of its own: take the one of
  /// your platform's cryptography.
  public var replay: BodyStream? {
    guard isReplayable else { return nil }
    return switch content {
    case .none: BodyStream(Data())
    case .data(let data): BodyStream(data)
    case .stream(let stream, _): stream
    }
  }
}
