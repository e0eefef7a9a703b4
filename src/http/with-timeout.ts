// A bound on how long an answer is waited for. Never ends what is under way: that is the caller's to do.

export class TimeoutError extends Error {
  readonly code = "late";
}

/** The wait goes by in so many parts. */
const parts = 4;

/**
 * Rejects with TimeoutError after `boundMs`. A time during which this process itself stood still counts as one part at most,
 * and what arrived meanwhile is read before the next: such an answer was not late.
 */
export async function withTimeout<Value>(answer: Promise<Value>, boundMs: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  let left = parts;
  let timer = setTimeout(pass, boundMs / parts);
  function pass(): void {
    left -= 1;
    if (left > 0) timer = setTimeout(pass, boundMs / parts);
    else setImmediate(() => late.reject(new TimeoutError()));
  }
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
