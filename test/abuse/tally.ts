// Counts what an abuse sent and received.

export interface Tally {
  /** Requests, or connections where no complete request is sent. */
  sent: number;
  /** Replies by status. */
  readonly replies: Record<string, number>;
  /** Connections that the server refused. */
  refused: number;
  /** Connections that the server closed without a reply. */
  closed: number;
}

export function makeTally(): Tally {
  return { sent: 0, replies: {}, refused: 0, closed: 0 };
}

export function countReply(tally: Tally, status: number): void {
  tally.replies[status] = (tally.replies[status] ?? 0) + 1;
}

/** Statuses that no request may get; limits answer with 503. */
export function badStatuses({ replies }: Tally): readonly string[] {
  return Object.keys(replies).filter((status) => Number(status) >= 500 && status !== "503");
}
