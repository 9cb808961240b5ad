extension Origin {
  /// As a person writes it: `https://api.example.com`, with its port where that is not the scheme's own.
  var shownText: String {
    let standard = ["http": "80", "https": "443"][scheme]
    return "\(scheme)://\(host)\(port.isEmpty || port == standard ? "" : ":\(port)")"
  }
}
