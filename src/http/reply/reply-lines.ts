// The lines of a reply that is sent while its request is being received. Waits for a client that reads slowly, but not
// for one that reads nothing until it has sent everything: such lines are only counted.

import type { ServerResponse } from "node:http";
import { waitForRoom } from "./wait-for-room.ts";

const streamReplyWaitMs = 5_000;

export class ReplyLines {
  readonly #response: ServerResponse;
  readonly #clientWaitMs: number;
  #stalled = false;
  unlisted = 0;

  constructor(response: ServerResponse, clientWaitMs: number = streamReplyWaitMs) {
    this.#response = response;
    this.#clientWaitMs = clientWaitMs;
    response.on("drain", () => (this.#stalled = false));
  }

  /** `lines`: the number of lines in `text`. Resolves when they are sent or counted, or the client has disconnected. */
  async write(text: string, lines: number): Promise<void> {
    if (this.#response.writableNeedDrain) await this.#waitForRoom();
    if (this.#response.writableNeedDrain) this.unlisted += lines;
    else if (!this.#response.destroyed) this.#response.write(text);
  }

  writeLast(line: object): void {
    if (!this.#response.destroyed) this.#response.write(`${JSON.stringify(line)}\n`);
  }

  async #waitForRoom(): Promise<void> {
    if (this.#stalled) return;
    const giveUp = (): boolean => (this.#stalled = true);
    await waitForRoom(this.#response, { everyMs: this.#clientWaitMs, giveUp });
  }
}
