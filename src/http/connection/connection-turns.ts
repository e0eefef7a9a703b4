// Gives connections their turns, a few in each event-loop tick, so that work on thousands of them (accepting new ones,
// writing pieces of large replies) doesn't delay requests on others. Never closes a connection.

import type { Socket } from "node:net";
import { FairQueue, type QueuedItem } from "../../basics/fair-queue.ts";
import { addressOwner } from "../rate-limit/address-owner.ts";
import { sharedListener } from "./shared-listener.ts";

/** For work of a fraction of a millisecond on each connection. */
export const perTurnMax = 8;

/** Node accepts one connection in a tick. While one arrives in each, only every eighth tick gives a turn, to one. */
const ticksPerTurnMax = 8;

type Turn = () => void;

/** A connection that waits, or has waited. */
interface Known {
  readonly owner: string;
  place: QueuedItem<Known> | undefined;
  /** Undefined as soon as it is given: it may refer to a large reply. */
  turn: Turn | undefined;
}

export class ConnectionTurns {
  /** Network addresses take turns, so that one with few connections does not wait for those of others. */
  readonly #waiting = new FairQueue<Known>();
  /** A listener for each turn would cost more than all else that a turn does. */
  readonly #known = new WeakMap<Socket, Known>();
  readonly #perTurn: number;
  readonly #isBehindArrivals: boolean;
  /** How many may have a turn at once. */
  #left: number;
  #hasArrival = false;
  /** Consecutive ticks in which a connection has arrived. */
  #arrivalTicks = 0;
  #isScheduled = false;
  readonly #forget = sharedListener((socket) => {
    const place = this.#known.get(socket)?.place;
    if (place !== undefined) this.#waiting.remove(place);
  });

  /**
   * `isBehindArrivals`: what waits are new connections, and those that the system still has come first. It has them in
   * the order of their arrival, so that others wait behind thousands of one client; here addresses take turns.
   */
  constructor({ perTurn = perTurnMax, isBehindArrivals = false } = {}) {
    this.#perTurn = this.#left = perTurn;
    this.#isBehindArrivals = isBehindArrivals;
  }

  /** Calls `turn` at once or later, unless the connection is closed before. It waits for one turn: the last. */
  add(socket: Socket, turn: Turn): void {
    if (!this.#isScheduled) this.#schedule();
    this.#hasArrival = this.#isBehindArrivals;
    if (this.#left > 0) {
      this.#left -= 1;
      turn();
      return;
    }
    const known = this.#known.get(socket) ?? this.#know(socket);
    known.turn = turn;
    if (known.place !== undefined) this.#waiting.remove(known.place);
    known.place = this.#waiting.push(known.owner, known);
  }

  #know(socket: Socket): Known {
    const owner = addressOwner(socket.remoteAddress ?? "");
    const known: Known = { owner, place: undefined, turn: undefined };
    this.#known.set(socket, known);
    socket.on("close", this.#forget);
    return known;
  }

  #giveNext(): void {
    this.#refill();
    for (const place of this.#waiting.inTurn()) {
      if (this.#left === 0) break;
      this.#left -= 1;
      const known = this.#waiting.take(place);
      const { turn } = known;
      known.place = known.turn = undefined;
      turn?.();
    }
    this.#isScheduled = false;
    if (this.#left < this.#perTurn) this.#schedule();
  }

  #refill(): void {
    this.#arrivalTicks = this.#hasArrival ? this.#arrivalTicks + 1 : 0;
    this.#hasArrival = false;
    if (this.#arrivalTicks === 0) this.#left = this.#perTurn;
    else if (this.#arrivalTicks % ticksPerTurnMax === 0 && this.#left === 0) this.#left = 1;
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => this.#giveNext());
  }
}
