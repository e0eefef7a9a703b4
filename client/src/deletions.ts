// The status of deletions, and waiting until a deletion has ended.

import type { DeletionStatus } from "./generated/replies.ts";
import { requireText } from "./options.ts";
import type { CallOptions, Session } from "./session.ts";
import { sleep } from "./wait.ts";

/** A deletion that is completed or cancelled. */
export type EndedDeletion = DeletionStatus & { readonly status: "completed" | "cancelled" };

const firstMs = 100;
const longestMs = 10_000;

export class Deletions {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async status(
    deletionRequestId: string,
    options: Pick<CallOptions, "signal"> = {},
  ): Promise<DeletionStatus> {
    const query = `deletion_request_id=${encodeURIComponent(requireText("deletionRequestId", deletionRequestId))}`;
    const { signal } = options;
    return this.#session.call({ method: "GET", path: `/v2/deletion_request?${query}`, signal });
  }

  /**
   * Polls, less and less often, until the deletion is completed, or cancelled by the operator. This may take days if
   * there is a grace period or a hold: limit it with a signal.
   */
  async wait(
    deletionRequestId: string,
    options: Pick<CallOptions, "signal"> = {},
  ): Promise<EndedDeletion> {
    for (let delayMs = firstMs; ; delayMs = Math.min(delayMs * 1.5, longestMs)) {
      const found = await this.status(deletionRequestId, options);
      if (hasEnded(found)) return found;
      await sleep(delayMs * (0.5 + Math.random() / 2), options.signal);
    }
  }
}

function hasEnded(deletion: DeletionStatus): deletion is EndedDeletion {
  return deletion.status === "completed" || deletion.status === "cancelled";
}
