/// A time limit that a transport checks.
enum TimeLimit: String, Codable, Sendable {
  /// ``TransferLimits/connectTimeout``, for the setup of a connection.
  case connect
  /// ``TransferLimits/firstByteTimeout``, for the first byte of the response.
  case firstByte

  var clause: String {
    switch self {
    case .connect: "no connection was established"
    case .firstByte: "no byte of the response came"
    }
  }
}
