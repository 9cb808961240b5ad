import Foundation

/// The settings of an agent for the requests that it builds.
final class BuildingSettings: Sendable {
  /// The base URL of requests without one; `nil` for none.
  let base: String?
  /// The stem of ``base``; `nil` where each request has to judge the base.
  let stem: URLStem?
  /// The stems of the bases that requests bring along.
  let stems = URLStems()
  let cdnURL: URL?
  let headers: HTTPHeaders
  let parameters: Parameters
  let acceptLanguage: String?
  let destinations: DestinationPolicy
  /// The origins of ``base``, of ``cdnURL`` and of the URLs that the configuration trusts.
  let trustedOrigins: TrustedOrigins
  let transport: any Transport

  private let standardUserAgent: String?
  private let deferredUserAgent: DeferredUserAgent?

  /// - Parameter trustedOrigins: see ``AgentConfiguration/trustedOrigins``.
  init(
    base: String?, cdnURL: URL?, headers: HTTPHeaders, parameters: Parameters, acceptLanguage: String?,
    userAgent: String?, deferredUserAgent: DeferredUserAgent?, destinations: DestinationPolicy,
    trustedOrigins: [URL], transport: any Transport
  ) {
    (self.base, self.cdnURL) = (base, cdnURL)
    stem = base.flatMap(URLStem.init)
    (self.headers, self.parameters, self.acceptLanguage) = (headers, parameters, acceptLanguage)
    (standardUserAgent, self.deferredUserAgent) = (userAgent, deferredUserAgent)
    (self.destinations, self.transport) = (destinations, transport)
    self.trustedOrigins = TrustedOrigins(
      bases: [base, cdnURL?.absoluteString].compactMap(\.self) + trustedOrigins.map(\.absoluteString))
  }

  /// The `User-Agent` of requests without one, as far as it is known.
  var userAgent: String? { deferredUserAgent?.value ?? standardUserAgent }
}
