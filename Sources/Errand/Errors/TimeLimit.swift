/// A time limit of ``TransferLimits`` up to a certain event.
enum TimeLimit: String, Codable, Sendable {
  /// The limit ``TransferLimits/connectTimeout``, up to an established connection.
  case connect
  /// The limit ``TransferLimits/firstByteTimeout``, up to the first byte of the response.
  case firstByte

  /// The event that did not happen in time, as a clause.
  var clause: String {
    switch self {
    case .connect: "no connection was established"
    case .firstByte: "no byte of the response came"
    }
  }
}
