// Works through a stream of items, a bounded number at a time; the first failure ends it.

export async function inParallel<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  workersMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator =
    Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failed = false;
  const worker = async (): Promise<void> => {
    while (!failed) {
      const next = await iterator.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const workers = await Promise.allSettled(Array.from({ length: workersMax }, worker));
  if (failed) await iterator.return?.();
  for (const settled of workers) if (settled.status === "rejected") throw settled.reason;
}

/** The items in lists of at most `size`. */
export async function* inBatches<Item>(
  items: AsyncIterable<Item> | Iterable<Item>,
  size: number,
): AsyncGenerator<readonly Item[]> {
  let batch: Item[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
