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

function pauseIfStopped(this: Socket): void {
  if (stopped.has(this)) this.pause();
}
