// A bound on how long an answer is waited for. Never ends what is under way: that is the caller's to do.

export class LateError extends Error {
  readonly code = "late";
}

/**
 * Rejects with LateError after `boundMs`. What arrived while this process itself stood still is read first: such an answer
 * was not late.
 */
export async function inTime<Value>(answer: Promise<Value>, boundMs: number): Promise<Value> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => setImmediate(() => late.reject(new LateError())), boundMs);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
