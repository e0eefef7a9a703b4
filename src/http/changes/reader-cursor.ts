// The cursor of a live request, which keeps caches between a reader and the service from answering with an old reply
// for ever: it counts intervals of time, and never goes back (Durable Streams, section 10.1).

const epochMs = Date.UTC(2024, 9, 9);
const intervalMs = 20_000;
/** Up to an hour. */
const intervalsAheadMax = 180;

/** `sent`: the cursor that the reader sent; 0 for none. */
export function nextCursor(sent: number): string {
  const current = Math.floor((Date.now() - epochMs) / intervalMs);
  if (sent < current) return String(current);
  return String(sent + 1 + Math.floor(Math.random() * intervalsAheadMax));
}
