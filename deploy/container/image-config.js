// How a container of the image is started. The Containerfile says the same, and a test compares them.

/** As in other images without a shell, where it is called nonroot. */
export const userId = 65_532;

export const imageConfig = {
  User: `${userId}:${userId}`,
  ExposedPorts: { "8080/tcp": {} },
  Env: [
    "PATH=/usr/local/bin",
    "NODE_ENV=production",
    "HOST=0.0.0.0",
    "PORT=8080",
    "DATA_DIR=/data",
    "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
  ],
  Entrypoint: ["/usr/local/bin/node", "/app/bin/sluice.js"],
  Cmd: ["serve"],
  Volumes: { "/data": {} },
  WorkingDir: "/data",
  StopSignal: "SIGTERM",
};

/** Durations in nanoseconds. Not part of the OCI specification: Docker and Podman read it, others ignore it. */
export const healthCheck = {
  Test: ["CMD", "/usr/local/bin/node", "/app/health-check.js"],
  Interval: 30_000_000_000,
  Timeout: 5_000_000_000,
  StartPeriod: 60_000_000_000,
  Retries: 3,
};
