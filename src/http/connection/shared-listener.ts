// A listener that many connections share: thousands of functions, one for each, would take memory.

import type { Socket } from "node:net";

/** Node calls a listener as a method of what emits the event. */
export function sharedListener<Args extends readonly unknown[]>(
  listen: (socket: Socket, ...args: Args) => void,
): (this: Socket, ...args: Args) => void {
  return function listener(...args): void {
    listen(this, ...args);
  };
}
