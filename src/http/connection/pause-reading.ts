// Stops and resumes reading from a connection. Node itself resumes a socket whenever a request is complete or a reply
// has been written, so a lasting pause must be renewed each time. Never closes a connection.

import type { Socket } from "node:net";

/**
 * A request waits for the reply before it; a body waits for its reader or its turn. Reading resumes when neither does.
 */
type StopReason = "reply" | "body";

const stopped = new WeakMap<Socket, Set<StopReason>>();

interface Handle {
  reading: boolean;
  readStart(): unknown;
  readStop(): unknown;
}

/**
 * Call once for each connection, after Node's own listeners are in place: listeners run in order, and the last one
 * decides whether the socket is read.
 */
export function watchReading(socket: Socket): void {
  socket.on("resume", pauseIfStopped);
}

/** The operating system buffers from now on what the client sends, until the TCP window is full. */
export function stopReading(socket: Socket, reason: StopReason): void {
  const reasons = stopped.get(socket) ?? new Set();
  stopped.set(socket, reasons.add(reason));
  socket.pause();
  // Otherwise Node reads on until 64 KiB wait in the socket, unless its parser reads it directly.
  const handle = handleOf(socket);
  if (handle?.reading !== true) return;
  handle.reading = false;
  handle.readStop();
}

/** Removes one reason to stop, or all of them if `reason` is undefined. */
export function resumeReading(socket: Socket, reason?: StopReason): void {
  const reasons = stopped.get(socket);
  if (reasons === undefined) return;
  if (reason !== undefined) reasons.delete(reason);
  if (reason !== undefined && reasons.size > 0) return;
  stopped.delete(socket);
  const handle = handleOf(socket);
  if (handle?.reading === false) {
    handle.reading = true;
    handle.readStart();
  }
  socket.resume();
}

/**
 * A stream that is resumed and then paused in the same tick still emits `resume`, and Node has started to read by then.
 * Pausing it again emits nothing, but Node stops reading at the event `pause`, so it is emitted here. Otherwise bytes
 * would reach the parser out of order.
 */
function pauseIfStopped(this: Socket): void {
  if (!stopped.has(this)) return;
  if (this.isPaused()) this.emit("pause");
  else this.pause();
}

function handleOf(socket: Socket): Handle | undefined {
  const { _handle: handle } = socket as { readonly _handle?: Partial<Handle> | null };
  const isKnown = typeof handle?.readStart === "function" && typeof handle.readStop === "function";
  return isKnown ? (handle as Handle) : undefined;
}
