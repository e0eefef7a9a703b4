// Decides which traces are recorded, by the trace id alone, so that all processes that see a trace decide the same.

import type { SamplerName } from "./settings.ts";

export interface SampledParent {
  readonly sampled: boolean;
}

/** The decision for a span with or without a parent in another process. Spans within a process follow their parent. */
export type Sampler = (traceId: string, parent: SampledParent | undefined) => boolean;

export function makeSampler(name: SamplerName, ratio: number): Sampler {
  const root = rootSampler(name.replace("parentbased_", ""), ratio);
  if (!name.startsWith("parentbased_")) return root;
  return (traceId, parent) => parent?.sampled ?? root(traceId);
}

function rootSampler(name: string, ratio: number): (traceId: string) => boolean {
  const share = { always_on: 1, always_off: 0 }[name] ?? ratio;
  return (traceId) => randomPart(traceId) >= 1 - share;
}

/** The last 7 bytes of a trace id are random (W3C Trace Context, level 2); from 0 to below 1. */
function randomPart(traceId: string): number {
  return Number.parseInt(traceId.slice(18), 16) / 2 ** 56;
}
