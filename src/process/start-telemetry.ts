// Starts the export of spans if the settings ask for it; otherwise loads nothing for it. Metrics count all failures;
// the log has one of them from time to time.

import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import { type Config, ConfigError } from "../settings/config.ts";
import type { Logger } from "../log.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { traceReceiver } from "../settings/telemetry-settings.ts";
import type { Tracing } from "../telemetry/telemetry.ts";
import { version } from "./version.ts";

/** While a receiver can't be reached every export fails, so failures are logged at most this often. */
const failureLogMs = 60_000;

/** Throws ConfigError if the packages that it needs are not installed. */
export async function startTelemetry(
  config: Config,
  { metrics, log }: { readonly metrics: Metrics; readonly log: Logger },
): Promise<Tracing | undefined> {
  const receiver = traceReceiver(config)?.host;
  if (receiver === undefined) return undefined;
  const { openTelemetry } = await load();
  let loggedAt = -Infinity;
  return openTelemetry(config, {
    version,
    onDropped: (count, reason) => metrics.spansDropped.with(reason).add(count),
    onFailure: (reason) => {
      metrics.exportFailures.add();
      if (performance.now() - loggedAt < failureLogMs) return;
      loggedAt = performance.now();
      log.warn({ receiver, reason }, "the receiver of traces did not accept an export");
    },
  });
}

async function load(): Promise<typeof import("../telemetry/open-telemetry.ts")> {
  try {
    return await import("../telemetry/open-telemetry.ts");
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new ConfigError(
      "The export of traces is turned on (OTEL_…), but packages that it needs are not installed. " +
        `Add them next to sluice: npm install ${peerPackages().join(" ")}`,
    );
  }
}

/** The optional packages with the required versions. */
function peerPackages(): readonly string[] {
  const path = findPackageJSON(import.meta.url) ?? "";
  const manifest = JSON.parse(readFileSync(path, "utf8")) as {
    readonly peerDependencies?: Readonly<Record<string, string>>;
  };
  const entries = Object.entries(manifest.peerDependencies ?? {});
  return entries.map(([name, range]) => `${name}@${range}`);
}
