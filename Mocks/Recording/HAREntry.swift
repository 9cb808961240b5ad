/// One exchange of a HAR file.
struct HAREntry: Codable, Sendable {
  struct Cache: Codable, Sendable {}

  var startedDateTime = ""
  /// Milliseconds.
  var time = 0.0
  var request: HARRequest
  var response: HARResponse
  var cache = Cache()
  var timings = HARTimings()
  var comment: String?
}

extension HAREntry {
  private enum CodingKeys: CodingKey {
    case startedDateTime, time, request, response, cache, timings, comment
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    startedDateTime = fields.value(.startedDateTime, or: "")
    time = fields.value(.time, or: 0)
    request = try fields.decode(HARRequest.self, forKey: .request)
    response = try fields.decode(HARResponse.self, forKey: .response)
    timings = fields.value(.timings, or: HARTimings())
    comment = fields.value(.comment, or: nil)
  }
}
