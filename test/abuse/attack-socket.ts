// A connection of an abuser: sends raw bytes, resets or stops reading when told to, and counts what
// it receives. Never rejects: an abuser expects refused and reset connections.

import { connect, type Socket } from "node:net";
import type { AbuseContext } from "./abuse.ts";
import { ReplyScanner } from "./reply-scanner.ts";
import { countReply } from "./tally.ts";

export interface AttackSocketOptions {
  /** Which of the abuser's addresses it uses, where the system has more than one. */
  readonly from?: number;
}

export class AttackSocket {
  readonly socket: Socket;
  /** True once it is open, false if it never will be. */
  readonly opened: Promise<boolean>;
  readonly closed: Promise<void>;
  replies = 0;
  #waiting: (() => void) | undefined;

  constructor({ target, tally }: AbuseContext, { from = 0 }: AttackSocketOptions = {}) {
    const { hostname, port } = new URL(target.address);
    this.socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      ...abuserAddress(from),
    });
    const scanner = new ReplyScanner((status) => {
      this.replies += 1;
      countReply(tally, status);
      this.#wake();
    });
    let isOpen = false;
    this.socket.on("data", (bytes: Buffer) => scanner.push(bytes));
    this.socket.on("error", () => undefined);
    this.opened = new Promise((resolve) => {
      this.socket.once("connect", () => resolve((isOpen = true)));
      this.socket.once("close", () => resolve(false));
    });
    this.closed = new Promise((resolve) => {
      this.socket.once("close", () => {
        if (!isOpen) tally.refused += 1;
        else if (this.replies === 0 && !this.#isOurs) tally.closed += 1;
        this.#wake();
        resolve();
      });
    });
  }

  /** Whether this side has closed it. */
  #isOurs = false;

  get isOpen(): boolean {
    return !this.socket.destroyed && this.socket.writable;
  }

  write(bytes: string | Uint8Array): void {
    if (this.isOpen) this.socket.write(bytes);
  }

  /** Resolves when the server has accepted as much as it can, so that no more is buffered here. */
  async writeWhole(bytes: string | Uint8Array): Promise<void> {
    if (!this.isOpen || this.socket.write(bytes)) return;
    await Promise.race([new Promise((resolve) => this.socket.once("drain", resolve)), this.closed]);
  }

  /** Resolves when one more reply has arrived, or the connection is closed. */
  nextReply(): Promise<void> {
    if (this.socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => (this.#waiting = resolve));
  }

  reset(): void {
    this.#isOurs = true;
    this.socket.resetAndDestroy();
  }

  close(): void {
    this.#isOurs = true;
    this.socket.destroy();
  }

  #wake(): void {
    this.#waiting?.();
    this.#waiting = undefined;
  }
}

/** Only Linux answers on every address of 127.0.0.0/8 without configuration. */
function abuserAddress(from: number): { localAddress?: string } {
  return process.platform === "linux" ? { localAddress: `127.0.0.${from + 2}` } : {};
}
