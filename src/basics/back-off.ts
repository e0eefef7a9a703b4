// The delay before something that fails is tried again.

/** Doubles with each failure, from twice `firstMs` after the first one up to `delayMsMax`. */
export function backOffMs(failures: number, firstMs: number, delayMsMax: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures, 20), delayMsMax);
}
