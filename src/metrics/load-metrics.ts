// The figures of load shedding: what large bodies hold, the pressure on the process, and what was rejected for it. Read at
// each snapshot.

import type { LoadSheddingFigures } from "../http/load/load-shedding.ts";
import type { Registry } from "./registry.ts";

export interface LoadSources {
  readonly bodies: { readonly heldBytes: number };
  readonly shedding: { readonly figures: LoadSheddingFigures };
}

const severity = { none: 0, high: 1, critical: 2 } as const;

export function registerLoad(registry: Registry, { bodies, shedding }: LoadSources): void {
  const held = registry.gauge({
    name: "sluice_held_body_bytes",
    help: "Bytes of large bodies that are held, or for which room is reserved.",
  });
  const delay = registry.gauge({
    name: "sluice_event_loop_delay_seconds",
    help: "Delay of the event loop over the last quarter to half of a second, 99th percentile.",
    combine: "max",
  });
  const pressure = registry.gauges({
    name: "sluice_pressure",
    help: "Pressure on the process by cause: 0 none, 1 the largest new work is rejected, 2 all large new work.",
    labels: ["cause"],
    combine: "max",
  });
  const rejected = registry.counters({
    name: "sluice_load_shed_total",
    help: "New large bodies and streams that were answered 503 under pressure, by kind.",
    labels: ["kind"],
  });
  registry.onSnapshot(() => {
    const { eventLoopDelayMs, levels, rejected: counts } = shedding.figures;
    held.set(bodies.heldBytes);
    delay.set(eventLoopDelayMs / 1_000);
    for (const cause of ["event_loop", "memory", "bodies"] as const) {
      pressure.with(cause).set(severity[levels[cause]]);
    }
    rejected.with("body").value = counts.body;
    rejected.with("stream").value = counts.stream;
  });
}
