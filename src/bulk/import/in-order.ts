// Works on chunks, several at once, and yet in order for each record: a chunk waits for every earlier one that has a
// record in common with it. The first failure ends it, once what is under way has come to its end.

export interface WithIds {
  readonly ids: ReadonlySet<string>;
}

export interface InOrderOptions<Chunk extends WithIds> {
  readonly atOnce: number;
  readonly work: (chunk: Chunk) => Promise<void>;
  readonly stopping: AbortSignal;
}

/** Resolves when all are done, or when it was stopped and nothing is under way. */
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
