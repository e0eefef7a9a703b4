// Whether the service can accept requests. The store is queried at most once in an interval, however many probes there
// are. Knows nothing of HTTP.

import { coalesce } from "../coalesce.ts";
import { withTimeout } from "../../basics/with-timeout.ts";

/** How long an answer is reused, so that probes cost little. */
const readinessKeptMs = 1_000;
/** A store that takes longer is not ready. */
const readinessTimeoutMs = 5_000;

export interface ReadinessOptions {
  /** Rejects if a write would fail. */
  readonly probe: () => Promise<void>;
  /** Called when the service has become ready (undefined) or has stopped being ready. */
  readonly onChange: (failure: unknown) => void;
  /** How long an answer of the store is reused. */
  readonly keptMs?: number;
  /** How long the store may take before the service counts as not ready. */
  readonly timeoutMs?: number;
}

/**
 * Resolves with undefined while the service is ready, and otherwise with the reason why it is not. Concurrent calls
 * share one probe.
 */
export function makeReadiness({
  probe,
  onChange,
  keptMs = readinessKeptMs,
  timeoutMs = readinessTimeoutMs,
}: ReadinessOptions): () => Promise<unknown> {
  const ask = coalesce(probe);
  let failure: unknown;
  let knownUntil = -Infinity;
  return async () => {
    if (performance.now() >= knownUntil) {
      const found = await withTimeout(ask(), timeoutMs).then(
        () => undefined,
        (error: unknown) => error ?? new Error("no reason was given"),
      );
      const isChange = (found === undefined) !== (failure === undefined);
      failure = found;
      knownUntil = performance.now() + keptMs;
      if (isChange) onChange(failure);
    }
    return failure;
  };
}
