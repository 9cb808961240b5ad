"""What is measured. No workload is shaped to a target; README.md says in words what each one does."""

from dataclasses import dataclass, field

PEERS = ("errand", "thin", "c", "curl", "asynchttpclient", "urlsession")
# The slower peers get fewer requests, so that each process takes about as long; what counts is a request.
SHARE = {"urlsession": 0.1, "asynchttpclient": 0.5}


@dataclass
class Workload:
    name: str
    peers: tuple
    in_flight: tuple = (1,)
    requests: int = 20_000
    warm_up: int = 200
    path: str = "person.json"
    mode: str = "data"
    # requests: a rate of requests; bytes: of bytes; start: the time from the start of the process to the response.
    unit: str = "requests"
    # Over TLS: the server agrees on "h2" or on "http/1.1".
    tls: str = ""
    # The slower peers get as many requests as the others.
    equal: bool = False
    extra: dict = field(default_factory=dict)

    def levels(self, quick):
        """Requests in flight; a quick run leaves out those that take minutes."""
        return [level for level in self.in_flight if level <= 1000 or not quick]

    def count(self, peer, in_flight, scale):
        """How many requests one process of a peer sends."""
        if self.equal:
            return self.requests or 2 * in_flight
        return max(int(self.requests * scale * SHARE.get(peer, 1)), 4 * in_flight)


HTTP = ("errand", "thin", "c", "asynchttpclient", "urlsession")
SWIFT = ("errand", "thin", "asynchttpclient", "urlsession")
STREAMS = ("errand", "c", "curl", "asynchttpclient", "urlsession")

WORKLOADS = [
    Workload("json-1k", HTTP, in_flight=(1, 16, 64, 256, 1000)),
    Workload("json-1k-decoded", SWIFT, in_flight=(1, 16, 64, 256, 1000), requests=8_000, mode="decoded"),
    Workload("json-100k", HTTP, in_flight=(16,), requests=4_000, path="people.json"),
    Workload("json-100k-decoded", SWIFT, in_flight=(16,), requests=200, warm_up=16, path="people.json", mode="decoded"),
    Workload("json-1k-tls", ("errand", "thin", "c", "asynchttpclient"), in_flight=(16,), tls="http/1.1"),
    Workload("json-100k-gzip", ("errand", "asynchttpclient", "urlsession"), in_flight=(16,), requests=2_000, path="gzip/people.json"),
    Workload("headers-40", HTTP, in_flight=(16,), path="headers40/person.json"),
    Workload("http2", ("errand", "thin", "c", "asynchttpclient"), in_flight=(100,), requests=10_000, tls="h2"),
    Workload("slow-server", HTTP, in_flight=(1000, 5000, 10_000), requests=0, warm_up=0, path="slow", equal=True),
    Workload(
        "download-file", STREAMS, requests=1, warm_up=0, path="large.bin", mode="file", unit="bytes", equal=True),
    Workload(
        "download-discard", STREAMS, requests=1, warm_up=0, path="large.bin", mode="discard", unit="bytes",
        equal=True),
    Workload(
        "upload-file", ("errand", "curl", "asynchttpclient", "urlsession"), requests=1, warm_up=0, path="upload",
        mode="upload", unit="bytes", equal=True),
    Workload(
        "upload-form", ("errand", "curl"), requests=1, warm_up=0, path="upload", mode="form", unit="bytes", equal=True),
    Workload("cold-start", HTTP, requests=1, warm_up=0, unit="start", equal=True),
    Workload("growth", ("errand",), in_flight=(16,), requests=20_000, warm_up=2_000, equal=True),
    Workload("pipeline", ("errand",), requests=50_000, extra={"--variant": "pipeline"}, equal=True),
    Workload("deadline", ("errand",), requests=200_000, extra={"--variant": "deadline"}, equal=True),
    Workload(
        "queue", ("errand",), in_flight=(10, 1000, 100_000), requests=300_000, extra={"--variant": "queue"}, equal=True),
    Workload(
        "crowd", ("errand",), in_flight=(10, 1000, 100_000), requests=300_000, extra={"--variant": "crowd"}, equal=True),
    Workload("waiting", ("errand",), requests=100_000, extra={"--variant": "waiting", "--size": 0}, equal=True),
    Workload("running", ("errand",), requests=100_000, extra={"--variant": "running", "--size": 0}, equal=True),
    Workload("cancel-waiting", ("errand",), requests=100_000, extra={"--variant": "cancel-waiting", "--size": 0}, equal=True),
    Workload("end-waiting", ("errand",), requests=100_000, extra={"--variant": "end-waiting", "--size": 0}, equal=True),
    Workload(
        "scheduler-1", ("errand",), in_flight=(10, 1000, 100_000), requests=2_000_000,
        extra={"--variant": "scheduler-1", "--size": 0}, equal=True),
    Workload(
        "scheduler-3", ("errand",), in_flight=(10, 1000, 100_000), requests=2_000_000,
        extra={"--variant": "scheduler-3", "--size": 0}, equal=True),
    Workload(
        "scheduler-many", ("errand",), in_flight=(10, 1000, 100_000), requests=2_000_000,
        extra={"--variant": "scheduler-1000000", "--size": 0}, equal=True),
    Workload("redact", ("errand",), requests=1_000_000, extra={"--variant": "redact", "--size": 0}, equal=True),
    Workload("redact-long", ("errand",), requests=8_000_000, extra={"--variant": "redact", "--size": 0}, equal=True),
    Workload("mock", ("errand",), requests=50_000, extra={"--variant": "mock"}, equal=True),
    Workload("mock-hooks", ("errand",), requests=50_000, extra={"--variant": "mock-hooks"}, equal=True),
]
