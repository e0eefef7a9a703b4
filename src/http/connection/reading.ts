// Stops and resumes reading from a connection. Node itself resumes a socket whenever a request is complete or a reply has
// been written, so a lasting pause must be renewed each time. Never closes a connection.

import type { Socket } from "node:net";

const stopped = new WeakSet<Socket>();

/**
 * To be called once per connection, after Node's own listeners are in place: listeners run in order, and the last one
 * decides whether the socket is read.
 */
export function watchReading(socket: Socket): void {
  socket.on("resume", pauseIfStopped);
}

/** From now on the operating system buffers what the client sends, until the TCP window is full. */
export function stopReading(socket: Socket): void {
  stopped.add(socket);
  socket.pause();
}

export function resumeReading(socket: Socket): void {
  if (stopped.delete(socket)) socket.resume();
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
