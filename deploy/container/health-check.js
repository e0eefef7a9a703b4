// The health check of the container, without a shell: exits with 0 if the service answers on its own port, else with 1.
// Asks whether the process is alive, not whether it is ready: an engine may restart a container that is not healthy,
// which helps nobody while the database is away.

const { PORT = "8080" } = process.env;

try {
  const reply = await fetch(`http://127.0.0.1:${PORT}/health/live`, {
    signal: AbortSignal.timeout(4_000),
  });
  if (!reply.ok) throw new Error(`/health/live answers ${reply.status}.`);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
