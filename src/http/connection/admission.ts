// Begins to read new connections a few at a time, so that thousands that are opened at once don't delay requests on those
// that are already open. Never closes a connection.

import type { Socket } from "node:net";
import { resumeReading, stopReading } from "./reading.ts";

/** Connections whose first request may be read in one turn of the event loop. */
const perTurnMax = 8;

/** One for each serving process. */
export class Admission {
  /** In the order in which they were opened. */
  readonly #waiting = new Set<Socket>();
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
    this.#waiting.add(socket);
    socket.once("close", () => this.#waiting.delete(socket));
  }

  #beginNext(): void {
    this.#begun = 0;
    for (const socket of this.#waiting.values().take(perTurnMax)) {
      this.#waiting.delete(socket);
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
