// Starts the export of spans and metrics where the settings ask for it; otherwise loads none of it. Reports failures in the log
// now and then, and all of them in the metrics.

import type { Config } from "./config.ts";
import type { Logger } from "./log.ts";
import type { Metrics } from "./metrics/metrics.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { telemetryOptions } from "./telemetry/telemetry-options.ts";
import { version } from "./version.ts";

/** While a receiver is away every export fails, so failures are logged only this often. */
const failureLogMs = 60_000;

export async function startTelemetry(
  config: Config,
  { metrics, log }: { readonly metrics: Metrics; readonly log: Logger },
): Promise<Telemetry | undefined> {
  const options = telemetryOptions(config);
  if (options === undefined) return undefined;
  const { openTelemetry } = await import("./telemetry/open-telemetry.ts");
  const loggedAt = { traces: -Infinity, metrics: -Infinity };
  const onFailure = (signal: "traces" | "metrics", reason: string): void => {
    metrics.countExportFailure(signal);
    if (performance.now() - loggedAt[signal] < failureLogMs) return;
    loggedAt[signal] = performance.now();
    const receiver = options[signal]?.target.url.host;
    log.warn({ signal, receiver, reason }, "the receiver of telemetry did not accept an export");
  };
  return openTelemetry(options, {
    version,
    snapshot: () => metrics.snapshot(),
    onDropped: (count, reason) => metrics.countSpansDropped(count, reason),
    onFailure,
    onError: (error) => log.warn({ err: error }, "the metrics could not be read for their export"),
  });
}
