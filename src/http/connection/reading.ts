// Stops and resumes reading from a connection. Node resumes a socket by itself whenever a request is complete or a reply
// has been written, so a pause that is to last has to be renewed at each of these; nothing here closes a connection.

import type { Socket } from "node:net";

const stopped = new WeakSet<Socket>();

/**
 * To be called once for each connection, after Node's own listeners are in place: listeners run in order, and the last one
 * decides whether the socket is read.
 */
export function watchReading(socket: Socket): void {
  socket.on("resume", pauseIfStopped);
}

/** From now on the operating system keeps what the client sends, and soon lets it send no more. */
export function stopReading(socket: Socket): void {
  stopped.add(socket);
  socket.pause();
}

export function resumeReading(socket: Socket): void {
  if (stopped.delete(socket)) socket.resume();
}

/**
 * A stream that was paused after it was resumed in the same tick still emits `resume`, and by then Node has begun to read;
 * to pause it once more emits nothing. Node stops to read at the event, whoever emits it. What came otherwise would reach
 * the parser out of order.
 */
function pauseIfStopped(this: Socket): void {
  if (!stopped.has(this)) return;
  if (this.isPaused()) this.emit("pause");
  else this.pause();
}
