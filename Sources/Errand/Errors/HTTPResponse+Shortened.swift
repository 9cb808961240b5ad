import Foundation

extension HTTPResponse {
  /// With no more of its body than an error keeps.
  var shortened: HTTPResponse {
    guard body.count > RequestError.bodyLimit else { return self }
    var response = self
    // A slice would keep all of it.
    response.body = Data(body.prefix(RequestError.bodyLimit))
    return response
  }
}
