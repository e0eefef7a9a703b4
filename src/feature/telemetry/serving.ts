// Starts the export of spans if the settings ask for it; otherwise loads nothing for it. Metrics count all failures;
// the log has one of them from time to time.

import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import type { OpenService, ServiceParts } from "../feature.ts";
import { ConfigError } from "../../settings/config.ts";
import { traceReceiver } from "./settings.ts";

/** While a receiver can't be reached every export fails, so failures are logged at most this often. */
const failureLogMs = 60_000;

/** Throws ConfigError if the packages that it needs are not installed. */
export async function open(parts: ServiceParts): Promise<OpenService | undefined> {
  const { config, log, registry, version } = parts;
  /** The label is the reason. `queue`: too many were waiting; `export`: the receiver did not accept them. */
  const spansDropped = registry.counters({
    name: "sluice_spans_dropped_total",
    help: "Spans that were not exported, by reason.",
    labels: ["reason"],
  });
  const exportFailures = registry.counter({
    name: "sluice_telemetry_export_failures_total",
    help: "Exports of spans over OTLP that the receiver did not accept.",
  });
  const receiver = traceReceiver(config)?.host;
  if (receiver === undefined) return undefined;
  const { openTelemetry } = await load();
  let loggedAt = -Infinity;
  return openTelemetry(config, {
    version,
    onDropped: (count, reason) => spansDropped.with(reason).add(count),
    onFailure: (reason) => {
      exportFailures.add();
      if (performance.now() - loggedAt < failureLogMs) return;
      loggedAt = performance.now();
      log.warn({ receiver, why: reason }, "the receiver of traces did not accept an export");
    },
  });
}

async function load(): Promise<typeof import("./open-telemetry.ts")> {
  try {
    return await import("./open-telemetry.ts");
  } catch (error) {
    if (!(error instanceof Error) || !("code" in error)) throw error;
    if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new ConfigError(
      "The export of traces is turned on (OTEL_…), but packages that it needs are not installed. " +
        `Add them next to sluice: npm install ${peerPackages().join(" ")}`,
    );
  }
}

function peerPackages(): readonly string[] {
  const path = findPackageJSON(import.meta.url) ?? "";
  const manifest = JSON.parse(readFileSync(path, "utf8")) as {
    readonly peerDependencies?: Readonly<Record<string, string>>;
  };
  const entries = Object.entries(manifest.peerDependencies ?? {});
  return entries.map(([name, range]) => `${name}@${range}`);
}
