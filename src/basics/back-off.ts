// The delay before something that fails is tried again.

/** Doubles with each failure, from twice `firstMs` after the first one up to `delayMsMax`. */
export function backOffMs(failures: number, firstMs: number, delayMsMax: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures, 20), delayMsMax);
}

/** In milliseconds. RFC 9110, section 10.2.3: seconds, or a date. */
export function readRetryAfter(text = "", now: number): number {
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
