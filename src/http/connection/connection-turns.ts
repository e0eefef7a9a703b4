// Gives connections their turns, a few in each event-loop tick, so that work on thousands of them (accepting new ones,
// writing pieces of large replies) doesn't delay requests on others. Never closes a connection.

import type { Socket } from "node:net";
import { FairQueue, type Place } from "../../basics/fair-queue.ts";
import { addressOwner } from "../rate-limit/address-owner.ts";

/** For work of a fraction of a millisecond on each connection. */
export const perTurnMax = 8;

type Turn = () => void;

/** A connection that waits, or has waited. */
interface Known {
  readonly owner: string;
  place: Place<Known> | undefined;
  /** Undefined as soon as it is given: it may refer to a large reply. */
  turn: Turn | undefined;
}

export class ConnectionTurns {
  /** Network addresses take turns, so that one with few connections does not wait for those of others. */
  readonly #waiting = new FairQueue<Known>();
  /** A listener for each turn would cost more than all else that a turn does. */
  readonly #known = new WeakMap<Socket, Known>();
  readonly #perTurn: number;
  #given = 0;
  #isScheduled = false;

  constructor(perTurn = perTurnMax) {
    this.#perTurn = perTurn;
  }

  /** Calls `turn` at once or later, unless the connection is closed before. It waits for one turn at a time. */
  add(socket: Socket, turn: Turn): void {
    if (!this.#isScheduled) this.#schedule();
    if (this.#given < this.#perTurn) {
      this.#given += 1;
      turn();
      return;
    }
    const known = this.#known.get(socket) ?? this.#know(socket);
    known.turn = turn;
    known.place = this.#waiting.push(known.owner, known);
  }

  #know(socket: Socket): Known {
    const owner = addressOwner(socket.remoteAddress ?? "");
    const known: Known = { owner, place: undefined, turn: undefined };
    this.#known.set(socket, known);
    socket.once("close", () => known.place && this.#waiting.remove(known.place));
    return known;
  }

  #giveNext(): void {
    this.#given = 0;
    for (const place of this.#waiting.inTurn()) {
      if (this.#given === this.#perTurn) break;
      this.#given += 1;
      const known = this.#waiting.take(place);
      const { turn } = known;
      known.place = known.turn = undefined;
      turn?.();
    }
    this.#isScheduled = false;
    if (this.#given > 0) this.#schedule();
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => this.#giveNext());
  }
}
