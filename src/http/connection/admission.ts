// Hands new connections to the HTTP server a few at a time, so that thousands of new connections don't delay requests
// on open ones. Never closes a connection.

import type { Socket } from "node:net";
import { FairQueue } from "../../basics/fair-queue.ts";
import { addressOwner } from "../rate-limit/address-owner.ts";

/** Connections that get their turn in one turn of the event loop. */
const perTurnMax = 8;

type Accept = (socket: Socket) => void;

/** Accepts the connections of one serving process, a few in each turn of the event loop. */
export class Admission {
  /** Each network address takes turns, so that one with few connections waits for no other. */
  readonly #waiting = new FairQueue<() => void>();
  #accepted = 0;
  #isScheduled = false;

  /** Call once for each connection, which must not be read yet. `accept` has to begin to read it. */
  add(socket: Socket, accept: Accept): void {
    if (!this.#isScheduled) this.#schedule();
    if (this.#accepted < perTurnMax) {
      this.#accepted += 1;
      accept(socket);
      return;
    }
    const owner = addressOwner(socket.remoteAddress ?? "");
    const onClose = (): void => this.#waiting.remove(place);
    socket.once("close", onClose);
    const place = this.#waiting.push(owner, () => {
      socket.off("close", onClose);
      accept(socket);
    });
  }

  #acceptNext(): void {
    this.#accepted = 0;
    for (const place of this.#waiting.inTurn()) {
      if (this.#accepted === perTurnMax) break;
      this.#accepted += 1;
      this.#waiting.take(place)();
    }
    this.#isScheduled = false;
    if (this.#accepted > 0) this.#schedule();
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => this.#acceptNext());
  }
}
