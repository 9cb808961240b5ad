import Foundation

final class BuildingSettings: Sendable {
  let base: String?
  /// `nil`: no base, or a base that ``URLStem`` refuses.
  let stem: URLStem?
  let stems = URLStems()
  let cdnURL: URL?
  let headers: HTTPHeaders
  let parameters: Parameters
  let acceptLanguage: String?
  let destinations: DestinationPolicy
  let trustedOrigins: TrustedOrigins
  let transport: any Transport
  /// True if a built URL may stay text, without a parsed `URL`.
  let keepsURLText: Bool

  private let standardUserAgent: String?
  private let deferredUserAgent: DeferredUserAgent?

  init(
    base: String?, cdnURL: URL?, headers: HTTPHeaders, parameters: Parameters, acceptLanguage: String?,
    userAgent: String?, deferredUserAgent: DeferredUserAgent?, destinations: DestinationPolicy,
    trustedOrigins: [URL], transport: any Transport, keepsURLText: Bool
  ) {
    (self.base, self.cdnURL) = (base, cdnURL)
    stem = base.flatMap(URLStem.init)
    (self.headers, self.parameters, self.acceptLanguage) = (headers, parameters, acceptLanguage)
    (standardUserAgent, self.deferredUserAgent) = (userAgent, deferredUserAgent)
    (self.destinations, self.transport, self.keepsURLText) = (destinations, transport, keepsURLText)
    self.trustedOrigins = TrustedOrigins(
      bases: [base, cdnURL?.absoluteString].compactMap(\.self) + trustedOrigins.map(\.absoluteString))
  }

  /// `nil`: Errand adds no `User-Agent`.
  var userAgent: String? { deferredUserAgent?.value ?? standardUserAgent }
}
