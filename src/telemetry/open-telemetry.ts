// Opens the export of spans with the official packages. The rest of the service loads only this file, and only if an
// export is configured: without it there is no cost, and the packages need not be installed.

import { randomUUID } from "node:crypto";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Store } from "../store/interface/store.ts";
import type { SamplerName, TelemetrySettings } from "../settings/telemetry-settings.ts";
import { SpanClock } from "./span-clock.ts";
import { type ExportEvents, openSpanExport } from "./span-export.ts";
import type { Tracing } from "./telemetry.ts";
import { traceBodies, traceBulk } from "./trace-bulk.ts";
import { DeletionTracing } from "./trace-deletions.ts";
import { traceRequests } from "./trace-requests.ts";
import { traceWrites } from "./trace-writes.ts";
import { Tracer } from "./tracer.ts";

export interface TelemetryParts extends Omit<ExportEvents, "onExport"> {
  readonly version: string;
}

export function openTelemetry(settings: TelemetrySettings, parts: TelemetryParts): Tracing {
  const clock = new SpanClock();
  const provider = new TracerProvider({
    resource: describeProcess(parts.version),
    sampler: makeSampler(settings),
    spanProcessors: [openSpanExport({ ...parts, onExport: () => clock.correct() })],
  });
  const tracer = new Tracer(provider.getTracer("sluice", parts.version), clock);
  const deletions = new DeletionTracing(tracer);
  const writes = traceWrites(tracer, (id) => deletions.requested(id));
  return {
    request: traceRequests(tracer),
    onGroup: writes.onGroup,
    store: (store): Store => ({ ...store, ...writes.wrap(store), ...deletions.wrap(store) }),
    sealReceipt: (seal) => deletions.wrapSeal(seal),
    bulk: (bulk) => traceBulk(tracer, bulk),
    bodies: (bodies) => traceBodies(tracer, bodies),
    // A failure of the last exports is counted and logged like any other.
    close: () => provider.shutdown().catch(() => undefined),
  };
}

/** The attributes that the operator sets replace the default ones with the same name. */
function describeProcess(version: string) {
  const ours = resourceFromAttributes({
    "service.name": "sluice",
    "service.version": version,
    "service.instance.id": randomUUID(),
    "process.runtime.name": "nodejs",
    "process.runtime.version": process.versions.node,
  });
  const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
  return defaultResource().merge(ours).merge(detectResources({ detectors }));
}

function makeSampler({ otelSampler, otelSamplerRatio }: TelemetrySettings): Sampler {
  const roots = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(otelSamplerRatio),
  };
  const parent = (root: keyof typeof roots) => new ParentBasedSampler({ root: roots[root]() });
  const all: Readonly<Record<SamplerName, () => Sampler>> = {
    ...roots,
    parentbased_always_on: () => parent("always_on"),
    parentbased_always_off: () => parent("always_off"),
    parentbased_traceidratio: () => parent("traceidratio"),
  };
  return all[otelSampler]();
}
