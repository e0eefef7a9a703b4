// Sends large replies, such as the script of the reference page, in pieces; network addresses take turns. If they were
// sent whole, the system would copy megabytes for each of hundreds of requests before it serves others. Stores nothing:
// all replies share the bytes.

import type { ServerResponse } from "node:http";
import { ConnectionTurns } from "./connection-turns.ts";

/** A longer body is sent in pieces of this size. */
export const pieceBytes = 64 * 1_024;

export class LargeReplies {
  readonly #turns = new ConnectionTurns();

  /** The head must have been written, with its Content-Length. */
  send(response: ServerResponse, body: Buffer): void {
    if (body.length <= pieceBytes || response.req.method === "HEAD") response.end(body);
    else this.#sendPiece(response, body);
  }

  #sendPiece(response: ServerResponse, rest: Buffer): void {
    this.#turns.add(response.req.socket, () => {
      if (response.destroyed) return;
      if (rest.length <= pieceBytes) {
        response.end(rest);
        return;
      }
      const sendNext = (): void => this.#sendPiece(response, rest.subarray(pieceBytes));
      if (response.write(rest.subarray(0, pieceBytes))) sendNext();
      else response.once("drain", sendNext);
    });
  }
}
