// Shares answers between calls: one that arrives while an answer is being read waits for the next one, together with
// all others that wait. So each answer was read after its call, and however many call, one is read at a time.

export function shareNext<Answer>(read: () => Promise<Answer>): () => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve();
  let next: Promise<Answer> | undefined;
  return () => {
    if (next !== undefined) return next;
    const own = last.then(() => {
      next = undefined;
      return read();
    });
    next = own;
    last = own.catch(() => undefined);
    return own;
  };
}
