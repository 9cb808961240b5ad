/// A time limit that an error may name.
enum TimeLimit: String, Codable, Sendable {
  /// ``TransferLimits/connectTimeout``.
  case connect
  /// ``TransferLimits/firstByteTimeout``.
  case firstByte

  var clause: String {
    switch self {
    case .connect: "no connection was established"
    case .firstByte: "no byte of the response came"
    }
  }
}
