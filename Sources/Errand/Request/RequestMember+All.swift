extension RequestMember {
  /// The properties of ``Request``, in its order; a test holds both against each other.
  static let all = wire + rules + extras

  private static let wire = [
    RequestMember("baseURL", "URL?", { $0.baseURL }, aliases: ["baseuri"], lookalikes: [.text]) { url, _ in
      url == nil
    },
    RequestMember(
      "path", "String", { $0.path },
      aliases: ["url", "uri", "urlpath", "urlstring", "requestpath", "endpoint", "route"], lookalikes: [.url]
    ) { path, request in path.isEmpty && request.baseURL == nil && request.carriesNothing },
    RequestMember(
      "method", "HTTPMethod", { $0.method }, aliases: ["httpmethod", "requestmethod"], lookalikes: [.text]
    ) { method, _ in method == .get },
    RequestMember(
      "headers", "HTTPHeaders", { $0.headers },
      aliases: [
        "httpheaders", "headerfields", "httpheaderfields", "allhttpheaderfields", "requestheaders",
        "additionalheaders", "customheaders", "extraheaders",
      ], lookalikes: [.dictionary]
    ) { headers, _ in headers.fields.isEmpty },
    RequestMember(
      "parameters", "Parameters", { $0.parameters },
      aliases: ["param", "params", "requestparameters", "bodyparameters"], lookalikes: [.dictionary]
    ) { _, request in request.carriesNothing },
    RequestMember(
      "query", "Parameters", { $0.query },
      aliases: ["queryparameters", "queryparams", "queryitems", "urlquery", "urlparameters"],
      lookalikes: [.dictionary, .queryItems]
    ) { _, request in request.carriesNothing },
    RequestMember(
      "body", "RequestBody", { $0.body },
      aliases: ["httpbody", "requestbody", "bodydata", "jsonbody"], lookalikes: [.bytes, .dictionary, .text]
    ) { _, request in request.carriesNothing },
    RequestMember(
      "requestSerializer", "RequestSerializer", { $0.requestSerializer },
      aliases: ["parameterencoding", "requestencoding"]
    ) { serializer, _ in serializer.contentType == RequestSerializer.form.contentType },
    responseSerializer,
    RequestMember("jsonCoding", "JSONCoding?", { $0.jsonCoding }) { coding, _ in coding == nil },
    RequestMember("jsonDecoder", "JSONDecoder?", { $0.jsonDecoder }) { decoder, _ in decoder == nil },
    RequestMember("jsonEncoder", "JSONEncoder?", { $0.jsonEncoder }) { encoder, _ in encoder == nil },
    RequestMember(
      "validators", "[any ResponseValidator]", { $0.validators }, aliases: ["validation", "validations"],
      lookalikes: [.validator]
    ) { validators, _ in validators.count == 1 && (validators[0] as? StatusValidator)?.isStandard == true },
  ]

  private static let rules = [
    RequestMember(
      "retryPolicy", "RetryPolicy", { $0.retryPolicy }, aliases: ["retry", "retries"]
    ) { policy, _ in policy.isInherited },
    RequestMember(
      "redirectPolicy", "RedirectPolicy", { $0.redirectPolicy }, aliases: ["redirect", "redirects"]
    ) { policy, _ in policy == .inherited },
    RequestMember("mockPolicy", "MockPolicy", { $0.mockPolicy }, aliases: ["mock", "mocks"]) { policy, _ in
      if case .never = policy.storage { true } else { false }
    },
    RequestMember(
      "authentication", "Authentication", { $0.authentication },
      aliases: ["auth", "authenticator", "authorization"], lookalikes: [.authenticator]
    ) { authentication, _ in if case .inherited = authentication.storage { true } else { false } },
    RequestMember(
      "coalescing", "CoalescingPolicy", { $0.coalescing }, aliases: ["coalescingpolicy"]
    ) { coalescing, _ in coalescing == .none },
    RequestMember(
      "timeout", "Duration", { $0.timeout }, aliases: ["timeoutinterval", "requesttimeout"],
      lookalikes: [.number]
    ) { timeout, _ in timeout == .seconds(60) },
    RequestMember("deadline", "Duration?", { $0.deadline }, lookalikes: [.number]) { deadline, _ in
      deadline == nil
    },
    RequestMember(
      "priority", "RequestPriority", { $0.priority }, aliases: ["requestpriority"]
    ) { priority, _ in priority == .default },
    RequestMember("isSerial", "Bool", { $0.isSerial }, aliases: ["serial"]) { isSerial, _ in !isSerial },
    RequestMember("limits", "TransferLimits?", { $0.limits }, aliases: ["transferlimits"]) { limits, _ in
      limits == nil
    },
    RequestMember("usesCDN", "Bool", { $0.usesCDN }) { usesCDN, _ in !usesCDN },
    RequestMember("cdnURL", "URL?", { $0.cdnURL }, aliases: ["cdnbaseurl"], lookalikes: [.text]) { url, _ in
      url == nil
    },
  ]

  private static let extras = [
    RequestMember("tag", "Int", { $0.tag }),
    RequestMember("userInfo", "[String: any Sendable]", { $0.userInfo }),
    RequestMember(
      "accessories", "[any Accessory]", { $0.accessories }, aliases: ["accessory"], lookalikes: [.accessory]
    ) { accessories, _ in accessories.isEmpty },
    RequestMember("secrets", "[Secret]", { $0.secrets }),
    RequestMember("comment", "String?", { $0.comment }),
    RequestMember(
      "customRequest", "HTTPRequest?", { $0.customRequest }, aliases: ["httprequest", "rawrequest"]
    ) { request, _ in request == nil },
    RequestMember(
      "idempotencyKey", "IdempotencyKey", { $0.idempotencyKey }, aliases: ["idempotency"]
    ) { key, _ in !key.isAsked },
  ]
}

extension Request {
  /// Whether nothing but the path tells the server what is wanted: a property with a name like those of the other
  /// members is not sent.
  fileprivate var carriesNothing: Bool {
    parameters.isEmpty && query.isEmpty && body.isAutomatic && customRequest == nil
  }
}

extension StatusValidator {
  fileprivate var isStandard: Bool { accepted == .range(200..<300) }
}
