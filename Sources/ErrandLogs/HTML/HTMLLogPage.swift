import Errand
import Foundation

enum HTMLLogPage {
  /// Returns the start of a page.
  ///
  /// `</body>` is left out, because events are appended. HTML permits the omission.
  static func head(title: String) -> Data {
    Data(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>\(escaped(title))</title>
      <style>\(style)</style>
      <script>\(script)</script>
      </head>
      <body>
      \(HTMLLogMarkup.text)

      """.utf8)
  }

  /// Returns a page that opens another page, because a symbolic link would break relative links.
  static func leading(to path: String, title: String) -> Data {
    Data(
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'">
      <meta http-equiv="refresh" content="0; url=\(escaped(path))">
      <title>\(escaped(title))</title>
      </head>
      <body><p><a href="\(escaped(path))">\(escaped(title))</a></p></body>
      </html>

      """.utf8)
  }

  static let policy =
    "default-src 'none'; script-src '\(hash(script))'; style-src '\(hash(style))'; img-src data:; "
    + "base-uri 'none'; form-action 'none'"

  private static func hash(_ text: String) -> String {
    var sum = RunningSum(.sha256)
    Array(text.utf8).withUnsafeBytes { sum.update($0) }
    return "sha256-\(Data(sum.digest()).base64EncodedString())"
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }

  static let style = HTMLLogStyle.text
  static let script =
    HTMLEntryScript.text + HTMLTimeScript.text + HTMLFilterScript.text + HTMLListScript.text
    + HTMLPanelScript.text
    + HTMLBodyScript.text
}
