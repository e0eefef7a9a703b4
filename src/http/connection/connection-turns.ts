// Gives connections their turns, a few in each event-loop tick, so that work on thousands of them (accepting new ones,
// writing pieces of large replies) doesn't delay requests on others. Never closes a connection.

import type { Socket } from "node:net";
import { FairQueue } from "../../basics/fair-queue.ts";
import { addressOwner } from "../rate-limit/address-owner.ts";

/** For work of a fraction of a millisecond on each connection. */
export const perTurnMax = 8;

type Turn = (socket: Socket) => void;

export class ConnectionTurns {
  /** Network addresses take turns, so that one with few connections does not wait for those of others. */
  readonly #waiting = new FairQueue<() => void>();
  readonly #perTurn: number;
  #given = 0;
  #isScheduled = false;

  constructor(perTurn = perTurnMax) {
    this.#perTurn = perTurn;
  }

  /** Calls `turn` at once or later, unless the connection is closed before. */
  add(socket: Socket, turn: Turn): void {
    if (!this.#isScheduled) this.#schedule();
    if (this.#given < this.#perTurn) {
      this.#given += 1;
      turn(socket);
      return;
    }
    const owner = addressOwner(socket.remoteAddress ?? "");
    const onClose = (): void => this.#waiting.remove(place);
    socket.once("close", onClose);
    const place = this.#waiting.push(owner, () => {
      socket.off("close", onClose);
      turn(socket);
    });
  }

  #giveNext(): void {
    this.#given = 0;
    for (const place of this.#waiting.inTurn()) {
      if (this.#given === this.#perTurn) break;
      this.#given += 1;
      this.#waiting.take(place)();
    }
    this.#isScheduled = false;
    if (this.#given > 0) this.#schedule();
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => this.#giveNext());
  }
}
