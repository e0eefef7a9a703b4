// The lines of a reply that goes out while its request still comes in. Waits for a client that reads slowly, but not for
// one that reads nothing before it has sent everything: what such a client leaves no room for is counted instead of sent.

import type { ServerResponse } from "node:http";

/** How long a client that does not read the reply is waited for. */
const streamReplyWaitMs = 5_000;

export class ReplyLines {
  readonly #response: ServerResponse;
  readonly #clientWaitMs: number;
  /** The client was waited for in vain, and has read nothing since. */
  #stalled = false;
  #unlisted = 0;

  constructor(response: ServerResponse, clientWaitMs: number = streamReplyWaitMs) {
    this.#response = response;
    this.#clientWaitMs = clientWaitMs;
    response.on("drain", () => (this.#stalled = false));
  }

  /** Lines that were counted instead of sent. */
  get unlisted(): number {
    return this.#unlisted;
  }

  /** `text` holds so many lines. Resolves when they are sent, counted, or of no use because the client is gone. */
  async write(text: string, lines: number): Promise<void> {
    if (this.#response.writableNeedDrain) await this.#waitForRoom();
    if (this.#response.writableNeedDrain) this.#unlisted += lines;
    else if (!this.#response.destroyed) this.#response.write(text);
  }

  /** A line that is sent whatever the client does. */
  writeLast(line: object): void {
    if (!this.#response.destroyed) this.#response.write(`${JSON.stringify(line)}\n`);
  }

  /** A client that was once waited for in vain is not waited for again before it has read something. */
  #waitForRoom(): Promise<void> {
    const response = this.#response;
    if (this.#stalled || response.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const settle = (): void => {
        clearTimeout(timer);
        response.off("drain", settle).off("close", settle);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#stalled = true;
        settle();
      }, this.#clientWaitMs);
      response.on("drain", settle).on("close", settle);
    });
  }
}
