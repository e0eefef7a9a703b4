// Counts what an abuse sent and what came back.

export interface Tally {
  /** Requests, or connections where no whole request is sent. */
  sent: number;
  /** Replies by status. */
  readonly replies: Record<string, number>;
  /** Connections that the server did not take. */
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

/** Statuses that no request may get, whatever it is; 503 is what limits answer. */
export function badStatuses({ replies }: Tally): readonly string[] {
  return Object.keys(replies).filter((status) => Number(status) >= 500 && status !== "503");
}
