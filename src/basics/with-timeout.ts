// A bound on the wait for an answer. Never ends the work that was waited for; that is up to the caller.

export class TimeoutError extends Error {
  readonly code = "late";
}

/** The bound is divided into this many timers. */
const parts = 4;

/**
 * Rejects with TimeoutError after `boundMs`. While the process itself is suspended or blocked, at most one part passes,
 * and everything that arrived meanwhile is read before the next part; such an answer was not late.
 */
export async function withTimeout<Value>(answer: Promise<Value>, boundMs: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  let left = parts;
  let timer = setTimeout(pass, boundMs / parts);
  function pass(): void {
    left -= 1;
    if (left > 0) timer = setTimeout(pass, boundMs / parts);
    else
      setImmediate(() =>
        late.reject(new TimeoutError(`There was no answer within ${boundMs / 1_000} seconds.`)),
      );
  }
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
