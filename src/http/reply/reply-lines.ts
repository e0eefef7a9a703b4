// The lines of a reply that is sent while its request is still being received. Waits for a client that reads slowly,
// but not for one that reads nothing until it has sent everything: lines for which such a client leaves no room are
// counted, not sent.

import type { ServerResponse } from "node:http";
import { waitForRoom } from "./wait-for-room.ts";

/** How long a client that does not read the reply is waited for. */
const streamReplyWaitMs = 5_000;

export class ReplyLines {
  readonly #response: ServerResponse;
  readonly #clientWaitMs: number;
  /** True after a wait that timed out, until the client reads again. */
  #stalled = false;
  #unlisted = 0;

  constructor(response: ServerResponse, clientWaitMs: number = streamReplyWaitMs) {
    this.#response = response;
    this.#clientWaitMs = clientWaitMs;
    response.on("drain", () => (this.#stalled = false));
  }

  /** The number of lines that were not sent. */
  get unlisted(): number {
    return this.#unlisted;
  }

  /** `lines`: the number of lines in `text`. Resolves when they are sent or counted, or the client has disconnected. */
  async write(text: string, lines: number): Promise<void> {
    if (this.#response.writableNeedDrain) await this.#waitForRoom();
    if (this.#response.writableNeedDrain) this.#unlisted += lines;
    else if (!this.#response.destroyed) this.#response.write(text);
  }

  /** Sends a line without waiting for the client. */
  writeLast(line: object): void {
    if (!this.#response.destroyed) this.#response.write(`${JSON.stringify(line)}\n`);
  }

  /** After a wait that timed out, returns at once until the client has read something. */
  async #waitForRoom(): Promise<void> {
    if (this.#stalled) return;
    const giveUp = (): boolean => (this.#stalled = true);
    await waitForRoom(this.#response, { everyMs: this.#clientWaitMs, giveUp });
  }
}
