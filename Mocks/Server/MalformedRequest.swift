import Errand

/// Why what a client sent is no request, and what the server says to that.
struct MalformedRequest: Error {
  let message: String
  let status: HTTPStatus

  init(_ message: String, status: HTTPStatus = 400) {
    self.message = message
    self.status = status
  }

  var answer: MockAnswer { .text("malformed request: \(message)", status: status) }
}
