// Hands new connections to the HTTP server a few at a time, so that thousands of new connections don't delay requests
// on open ones. Never closes a connection.

import type { Socket } from "node:net";
import { addressOwner } from "../rate-limit/address-owner.ts";

/** Connections that get their turn in one turn of the event loop. */
const perTurnMax = 8;

type Accept = (socket: Socket) => void;

/** For connections of one serving process that wait for the same. */
export class Admission {
  /** By network address, in the order of their turns, so that an address with few connections waits for no other. */
  readonly #waiting = new Map<string, Map<Socket, Accept>>();
  #accepted = 0;
  #isScheduled = false;

  /** To be called once for each connection, which must not be read yet. `accept` has to begin to read it. */
  add(socket: Socket, accept: Accept): void {
    if (!this.#isScheduled) this.#schedule();
    if (this.#accepted < perTurnMax) {
      this.#accepted += 1;
      accept(socket);
      return;
    }
    const owner = addressOwner(socket.remoteAddress ?? "");
    const own = this.#waiting.get(owner) ?? new Map<Socket, Accept>();
    const onClose = (): void => void own.delete(socket);
    socket.once("close", onClose);
    const acceptInTurn: Accept = () => {
      socket.off("close", onClose);
      accept(socket);
    };
    this.#waiting.set(owner, own.set(socket, acceptInTurn));
  }

  #acceptNext(): void {
    this.#accepted = 0;
    for (const [owner, own] of this.#waiting) {
      if (this.#accepted === perTurnMax) break;
      this.#waiting.delete(owner);
      const [next] = own;
      if (next === undefined) continue;
      const [socket, accept] = next;
      own.delete(socket);
      // To the end of the turns, where this loop reaches it again.
      if (own.size > 0) this.#waiting.set(owner, own);
      this.#accepted += 1;
      accept(socket);
    }
    this.#isScheduled = false;
    if (this.#accepted > 0) this.#schedule();
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(() => this.#acceptNext());
  }
}
