// What a receiver of events is to the loop that sends to it.

import type { EventDestination, OutEvent } from "../../domain/event.ts";

export interface EventReceiver {
  readonly destination: EventDestination;
  /** `refused`: the receiver has them, but for some that it refused for good. Rejects with SendFailure. */
  send(events: readonly OutEvent[], stopping: AbortSignal): Promise<"sent" | "refused">;
}

/** The receiver may lack some of the events. The message has no address, no header and nothing of an event. */
export class SendFailure extends Error {
  /** What the receiver has said about when to try again. */
  readonly retryAfter: string | undefined;

  constructor(message: string, retryAfter?: string) {
    super(message);
    this.retryAfter = retryAfter;
  }
}
