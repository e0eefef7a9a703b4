// Waits for statements that were sent together. Sends nothing itself.

/**
 * Like Promise.all, but rejects with the first failure in the order of sending, which is the cause; later statements
 * only report that the transaction has failed. Settles when all have settled, so that no statement is pending
 * afterwards.
 */
export async function inSequence<Sent extends readonly unknown[]>(
  sent: Sent,
): Promise<{ -readonly [Index in keyof Sent]: Awaited<Sent[Index]> }> {
  const settled = await Promise.allSettled(sent);
  const failed = settled.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return Promise.all(sent);
}
