// Begins to read new connections a few at a time, so that thousands that are opened at once don't delay requests on those
// that are already open. Never closes a connection.

import type { Socket } from "node:net";
import { addressOwner } from "../rate-limit/address-owner.ts";
import { resumeReading, stopReading } from "./reading.ts";

/** Connections whose first request may be read in one turn of the event loop. */
const perTurnMax = 8;

/** One for each serving process. */
export class Admission {
  /** By network address, in the order of their turns: one with few connections does not wait for another's. */
  readonly #waiting = new Map<string, Set<Socket>>();
  #begun = 0;
  #isScheduled = false;

  /** To be called once for each connection, after `watchReading`. */
  begin(socket: Socket): void {
    if (!this.#isScheduled) this.#schedule();
    if (this.#begun < perTurnMax) {
      this.#begun += 1;
      return;
    }
    stopReading(socket);
    const owner = addressOwner(socket.remoteAddress ?? "");
    const own = this.#waiting.get(owner) ?? new Set<Socket>();
    this.#waiting.set(owner, own.add(socket));
    socket.once("close", () => own.delete(socket));
  }

  #beginNext(): void {
    this.#begun = 0;
    for (const [owner, own] of this.#waiting) {
      if (this.#begun === perTurnMax) break;
      this.#waiting.delete(owner);
      const [socket] = own;
      if (socket === undefined) continue;
      own.delete(socket);
      // To the end of the turns, where this loop reaches it again.
      if (own.size > 0) this.#waiting.set(owner, own);
      this.#begun += 1;
      resumeReading(socket);
    }
    this.#isScheduled = false;
    if (this.#begun > 0) this.#schedule();
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => this.#beginNext());
  }
}
