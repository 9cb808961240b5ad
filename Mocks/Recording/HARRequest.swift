/// The request of an exchange in a HAR file.
struct HARRequest: Codable, Sendable {
  var method: String
  var url: String
  var httpVersion = ""
  /// Stay empty: cookies are among the headers.
  var cookies: [HARPair] = []
  var headers: [HARPair] = []
  var queryString: [HARPair] = []
  var postData: HARPostData?
  var headersSize = -1
  var bodySize = -1
}

extension HARRequest {
  private enum CodingKeys: CodingKey {
    case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    method = try fields.decode(String.self, forKey: .method)
    url = try fields.decode(String.self, forKey: .url)
    httpVersion = fields.value(.httpVersion, or: "")
    headers = fields.value(.headers, or: [])
    queryString = fields.value(.queryString, or: [])
    postData = fields.value(.postData, or: nil)
    headersSize = fields.value(.headersSize, or: -1)
    bodySize = fields.value(.bodySize, or: -1)
  }
}

/// The body of a request in a HAR file.
struct HARPostData: Codable, Sendable {
  var mimeType: String
  /// What some browsers write of a form, in place of its text.
  var params: [HARPair] = []
  var text: String
  /// HAR 1.2 knows no coding of a request's text; a field of one's own begins with `_`.
  var encoding: String?
}

extension HARPostData {
  private enum CodingKeys: String, CodingKey {
    case mimeType, params, text
    case encoding = "_encoding"
  }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    mimeType = fields.value(.mimeType, or: "")
    params = fields.value(.params, or: [])
    text = fields.value(.text, or: "")
    encoding = fields.value(.encoding, or: nil)
  }
}
