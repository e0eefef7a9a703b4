// Sends large replies, such as the script of the reference page, in pieces; network addresses take turns. If they were
// sent whole, the system would copy megabytes for each of hundreds of requests before it serves others. Stores nothing:
// all replies share the bytes.

import type { ServerResponse } from "node:http";
import { FairQueue } from "../../basics/fair-queue.ts";
import { addressOwner } from "../rate-limit/address-owner.ts";

/** A longer body is sent in pieces of this size. */
export const pieceBytes = 64 * 1_024;
/** Pieces that are sent before other connections have their turn. */
export const piecesPerTurnMax = 8;

interface Sending {
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly owner: string;
  sent: number;
}

export class LargeReplies {
  /** Replies that can be sent now, by network address. */
  readonly #ready = new FairQueue<Sending>();
  #isScheduled = false;

  /** The head must have been written, with its Content-Length. */
  send(response: ServerResponse, body: Buffer): void {
    if (body.length <= pieceBytes || response.req.method === "HEAD") {
      response.end(body);
      return;
    }
    const owner = addressOwner(response.socket?.remoteAddress ?? "");
    this.#queue({ response, body, owner, sent: 0 });
  }

  #queue(sending: Sending): void {
    this.#ready.push(sending.owner, sending);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#giveTurns());
  }

  #giveTurns(): void {
    this.#isScheduled = false;
    let pieces = 0;
    for (const place of this.#ready.inTurn()) {
      if (pieces === piecesPerTurnMax) break;
      pieces += 1;
      this.#sendPiece(this.#ready.take(place));
    }
    if (this.#ready.size === 0 || this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#giveTurns());
  }

  #sendPiece(sending: Sending): void {
    const { response, body, sent } = sending;
    if (response.destroyed) return;
    sending.sent = Math.min(body.length, sent + pieceBytes);
    const piece = body.subarray(sent, sending.sent);
    if (sending.sent === body.length) response.end(piece);
    else if (response.write(piece)) this.#queue(sending);
    // The event of the socket, because Node no longer passes it on to the reply once a CONNECT request has followed.
    else (response.socket ?? response).once("drain", () => this.#queue(sending));
  }
}
