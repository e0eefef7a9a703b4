// Sends large replies in pieces; network addresses take turns. If they were sent whole, the system would copy megabytes
// for each of hundreds of requests before it serves others.

import type { ServerResponse } from "node:http";
import { ConnectionTurns } from "./connection-turns.ts";

export const pieceBytes = 64 * 1_024;

export class LargeReplies {
  readonly #turns = new ConnectionTurns();

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
