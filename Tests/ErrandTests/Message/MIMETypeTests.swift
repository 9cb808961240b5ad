import Foundation
import Testing

@testable import Errand

@Suite("Media types by name")
struct MIMETypeTests {
  @Test("A file's extension gives its type, in any letter case, and unknown extensions are octet-stream")
  func extensions() {
    let found = ["jpg", "JPEG", "Png", "html", "json", "mp4", "gz", "docx", "", "what", ".jpg"].map {
      MIMEType(fileExtension: $0).rawValue
    }
    #expect(
      found == [
        "image/jpeg", "image/jpeg", "image/png", "text/html", "application/json", "video/mp4",
        "application/gzip",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "application/octet-stream",
        "application/octet-stream", "application/octet-stream",
      ])
  }

  @Test("A type is any text, and prints as written")
  func open() throws {
    let own: MIMEType = "model/gltf-binary"
    #expect(
      own == MIMEType("model/gltf-binary") && own == MIMEType(rawValue: "model/gltf-binary") && own != .jpeg)
    #expect("\(own)" == "model/gltf-binary" && "\(MIMEType("a\u{1B}"))" == #"a\u{1B}"#)
    #expect(MediaType(MIMEType.formData.rawValue)?.subtype == "form-data")
  }
}
