"""nginx on loopback: one worker, on a core of its own where there are two."""

import os
import resource
import subprocess
import urllib.request

from . import payloads
from .system import SERVER_CORE, find, free_port, install, pinned, quietly, wait_for_port

ECHO = "/usr/lib/nginx/modules/ngx_http_echo_module.so"
EXTRA_HEADERS = (10, 20, 40)


class Server:
    """Runs while its `with` block does; `folder` is an empty one."""

    def __init__(self, folder, large=0):
        self.folder = folder
        install({"nginx": "nginx-light", ECHO: "libnginx-mod-http-echo", "openssl": "openssl", "taskset": "util-linux"})
        os.chmod(folder, 0o755)
        os.makedirs(f"{folder}/site")
        os.makedirs(f"{folder}/temp")
        self.sizes = payloads.write(f"{folder}/site", large)
        self.large = f"{folder}/site/large.bin"
        self.authority = f"{folder}/authority.pem"
        make_certificates(folder)
        self.port, self.tls_port, self.tls1_port = free_port(), free_port(), free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.tls_base = f"https://127.0.0.1:{self.tls_port}"
        self.tls1_base = f"https://127.0.0.1:{self.tls1_port}"

    def __enter__(self):
        with open(f"{self.folder}/nginx.conf", "w") as file:
            file.write(self.configuration())
        command = [find("nginx"), "-p", self.folder, "-c", f"{self.folder}/nginx.conf", "-g", "daemon off;"]
        self.process = subprocess.Popen(pinned(SERVER_CORE) + command, stdin=subprocess.DEVNULL)
        wait_for_port(self.port)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def of(self, tls):
        """The base URL for HTTP/1.1 without TLS (""), HTTP/1.1 over TLS, or HTTP/2 over TLS."""
        return {"": self.base, "http/1.1": self.tls1_base, "h2": self.tls_base}[tls]

    def size(self, path):
        """Bytes of the body at a path; 0 where that is not checked."""
        return self.sizes.get(path.rsplit("/", 1)[-1], 0)

    def connections(self):
        """How many connections the server has accepted so far; asking takes one."""
        with urllib.request.urlopen(f"{self.base}/status") as answer:
            return int(answer.read().split()[7])

    def configuration(self):
        files = min(resource.getrlimit(resource.RLIMIT_NOFILE)[1], 60_000)
        return f"""
            load_module {ECHO};
            {"user root;" if os.getuid() == 0 else ""}
            pid {self.folder}/nginx.pid;
            error_log {self.folder}/error.log;
            worker_processes 1;
            worker_rlimit_nofile {files};
            events {{ worker_connections {files - 1000}; multi_accept on; }}
            http {{
              access_log off;
              types {{ application/json json; }}
              default_type application/octet-stream;
              client_body_temp_path {self.folder}/temp;
              proxy_temp_path {self.folder}/temp;
              fastcgi_temp_path {self.folder}/temp;
              uwsgi_temp_path {self.folder}/temp;
              scgi_temp_path {self.folder}/temp;
              sendfile on;
              tcp_nodelay on;
              open_file_cache max=100 inactive=1h;
              keepalive_requests 1000000000;
              keepalive_timeout 1h;
              server {{
                listen 127.0.0.1:{self.port} backlog=16384;
                root {self.folder}/site;
                location /status {{ stub_status; }}
                # Reads a body to its end before it answers, in memory up to 256 MB.
                location /upload {{
                  client_max_body_size 0;
                  client_body_buffer_size 256m;
                  echo_read_request_body;
                  echo ok;
                }}
                location /slow {{ default_type application/json; echo_sleep 2; echo '{{"id":7}}'; }}
                location /gzip/ {{ alias {self.folder}/site/; gzip on; gzip_types application/json; }}
                {"".join(self.extra_headers(count) for count in EXTRA_HEADERS)}
              }}
              ssl_certificate {self.folder}/server.pem;
              ssl_certificate_key {self.folder}/server.key;
              server {{
                listen 127.0.0.1:{self.tls_port} ssl http2;
                root {self.folder}/site;
              }}
              server {{
                listen 127.0.0.1:{self.tls1_port} ssl;
                root {self.folder}/site;
              }}
            }}
        """

    def extra_headers(self, count):
        lines = "".join(f'add_header X-Extra-{n} "the value of field number {n}";' for n in range(count))
        return f"location /headers{count}/ {{ alias {self.folder}/site/; {lines} }}"


def make_certificates(folder):
    """An authority of our own, and a certificate of it for 127.0.0.1."""
    key = ["-newkey", "rsa:2048", "-nodes"]
    quietly(
        "openssl", "req", "-x509", *key, "-days", "2", "-subj", "/CN=Errand benchmark authority",
        "-keyout", f"{folder}/authority.key", "-out", f"{folder}/authority.pem")
    quietly(
        "openssl", "req", *key, "-subj", "/CN=127.0.0.1", "-keyout", f"{folder}/server.key",
        "-out", f"{folder}/server.csr")
    with open(f"{folder}/server.ext", "w") as file:
        file.write("subjectAltName = IP:127.0.0.1\n")
    quietly(
        "openssl", "x509", "-req", "-days", "2", "-in", f"{folder}/server.csr", "-extfile", f"{folder}/server.ext",
        "-CA", f"{folder}/authority.pem", "-CAkey", f"{folder}/authority.key", "-CAcreateserial",
        "-out", f"{folder}/server.pem")
