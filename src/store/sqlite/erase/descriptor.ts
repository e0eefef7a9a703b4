// A descriptor of the database file for scrubbing, open as long as any store of this process has the file open: closing
// any descriptor of a file releases every lock that the process holds on it (POSIX), including SQLite's.

import { closeSync, openSync } from "node:fs";
import { describeFailure } from "../failure.ts";

interface Shared {
  users: number;
  descriptor: number | undefined;
}

const byPath = new Map<string, Shared>();

export class SharedDescriptor {
  readonly #path: string;
  readonly #shared: Shared;

  /** Create it before the store's first connection. */
  constructor(path: string) {
    this.#path = path;
    this.#shared = byPath.get(path) ?? { users: 0, descriptor: undefined };
    this.#shared.users += 1;
    byPath.set(path, this.#shared);
  }

  /** Opens the file at the first call. Throws StoreError. */
  get(): number {
    this.#shared.descriptor ??= open(this.#path);
    return this.#shared.descriptor;
  }

  /** Call after the store's last connection is closed. */
  release(): void {
    this.#shared.users -= 1;
    if (this.#shared.users > 0) return;
    byPath.delete(this.#path);
    if (this.#shared.descriptor !== undefined) closeSync(this.#shared.descriptor);
  }
}

function open(path: string): number {
  try {
    return openSync(path, "r+");
  } catch (cause) {
    throw describeFailure(path, cause);
  }
}
