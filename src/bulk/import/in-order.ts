// Processes chunks concurrently, but in order for each record: a chunk waits for every earlier one that shares a record
// with it. The first failure ends it, after the chunks under way have ended.

export interface WithIds {
  readonly ids: ReadonlySet<string>;
}

export interface InOrderOptions<Chunk extends WithIds> {
  readonly atOnce: number;
  readonly work: (chunk: Chunk) => Promise<void>;
  readonly stopping: AbortSignal;
}

/** Resolves when all are done, or when it was stopped and none is under way. */
export async function workInOrder<Chunk extends WithIds>(
  chunks: AsyncIterable<Chunk>,
  { atOnce, work, stopping }: InOrderOptions<Chunk>,
): Promise<void> {
  const underWay = new Map<Chunk, Promise<void>>();
  const failures: unknown[] = [];
  const begin = (chunk: Chunk): void => {
    const done = work(chunk)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(chunk));
    underWay.set(chunk, done);
  };
  try {
    for await (const chunk of chunks) {
      for (const [earlier, done] of underWay) {
        if (!chunk.ids.isDisjointFrom(earlier.ids)) await done;
      }
      if (underWay.size >= atOnce) await Promise.race(underWay.values());
      if (failures.length > 0 || stopping.aborted) break;
      begin(chunk);
    }
  } finally {
    await Promise.all(underWay.values());
  }
  if (failures.length > 0) throw failures[0];
}
