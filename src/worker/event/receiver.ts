// The interface of a receiver of events for the loop that sends to it.

import type { EventDestination, OutEvent } from "../../domain/event.ts";

export interface EventReceiver {
  readonly destination: EventDestination;
  /** `refused`: the receiver has the events, except some that it refused for good. Rejects with SendFailure. */
  send(events: readonly OutEvent[], stopping: AbortSignal): Promise<"sent" | "refused">;
}

/** The receiver may lack some of the events. The message has no address, no header and nothing of an event. */
export class SendFailure extends Error {
  /** When the receiver asks to be tried again. */
  readonly retryAfter: string | undefined;

  constructor(message: string, retryAfter?: string) {
    super(message);
    this.retryAfter = retryAfter;
  }
}
