// Processes chunks concurrently, but in order for each record: a chunk waits for all earlier ones that share a record
// with it. The first failure ends the processing, once the chunks in flight have ended.

/** Resolves when all chunks are done, or when stopped and no chunk is in flight. */
export async function workInOrder<Chunk extends { readonly ids: ReadonlySet<string> }>(
  chunks: AsyncIterable<Chunk>,
  {
    atOnce,
    work,
    stopping,
  }: {
    readonly atOnce: number;
    readonly work: (chunk: Chunk) => Promise<void>;
    readonly stopping: AbortSignal;
  },
): Promise<void> {
  const inFlight = new Map<Chunk, Promise<void>>();
  const failures: unknown[] = [];
  const begin = (chunk: Chunk): void => {
    const done = work(chunk)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => inFlight.delete(chunk));
    inFlight.set(chunk, done);
  };
  try {
    for await (const chunk of chunks) {
      for (const [earlier, done] of inFlight) {
        if (!chunk.ids.isDisjointFrom(earlier.ids)) await done;
      }
      if (inFlight.size >= atOnce) await Promise.race(inFlight.values());
      if (failures.length > 0 || stopping.aborted) break;
      begin(chunk);
    }
  } finally {
    await Promise.all(inFlight.values());
  }
  if (failures.length > 0) throw failures[0];
}
