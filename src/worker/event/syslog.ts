// Sends events by syslog (RFC 5424) with octet counting (RFC 6587, section 3.4.1), over TCP or TLS (RFC 5425). Syslog
// has no acknowledgement, so each batch has a separate connection, and counts as received when the receiver has read to
// the end of the connection and closes its side without an error.

import { connect as connectTcp, isIP, type Socket } from "node:net";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls, TLSSocket } from "node:tls";
import { withoutBrackets } from "../../basics/url-hostname.ts";
import type { OutEvent } from "../../domain/event.ts";
import { type EventReceiver, SendFailure } from "./receiver.ts";

/** The bound for everything: the name, the connection, the batch and its end. */
const attemptMs = 10_000;
/** A proxy without a receiver behind it accepts a connection and closes it at once. */
const watchMs = 50;
const receivedBytesMax = 64 * 1_024;

/** RFC 5424, section 6.2.1: log audit, informational; security messages, warning. */
const priorities = { info: 13 * 8 + 6, warning: 10 * 8 + 4 } as const;

export interface SyslogOptions {
  /** `syslog+tls://host:6514` or `syslog+tcp://host:514`. */
  readonly url: URL;
  /** Certificates to trust instead of those of the system. */
  readonly ca?: string | undefined;
  readonly attemptMs?: number | undefined;
}

export function makeSyslogReceiver(options: SyslogOptions): EventReceiver {
  const limitMs = options.attemptMs ?? attemptMs;
  return {
    destination: "syslog",
    send: async (events, stopping) => {
      const socket = open(options);
      const ended = AbortSignal.any([AbortSignal.timeout(limitMs), stopping]);
      const end = (): void => void socket.destroy(new Error(stopping.aborted ? "stopped" : "late"));
      ended.addEventListener("abort", end);
      try {
        await sendAll(socket, events.map(frameOf));
        return "sent";
      } finally {
        ended.removeEventListener("abort", end);
        socket.destroy();
      }
    },
  };
}

function open({ url, ca }: SyslogOptions): Socket {
  const host = withoutBrackets(url.hostname);
  const port = Number(url.port);
  if (url.protocol === "syslog+tcp:") return connectTcp({ host, port });
  const name = isIP(host) === 0 ? { servername: host } : {};
  return connectTls({ host, port, ...name, ...(ca === undefined ? {} : { ca }) });
}

async function sendAll(socket: Socket, frames: readonly Buffer[]): Promise<void> {
  const { promise: isOver, resolve, reject } = Promise.withResolvers<void>();
  let received = 0;
  let hasEnded = false;
  socket.on("data", (chunk: Buffer) => {
    received += chunk.length;
    if (received > receivedBytesMax) socket.destroy(new Error("the receiver sends too much"));
  });
  socket.on("end", () => (hasEnded = true));
  socket.on("error", (error: NodeJS.ErrnoException) => reject(new SendFailure(reasonOf(error))));
  // Everything is written if the socket has finished; a receiver that closes earlier lacks some of it.
  socket.on("close", () =>
    hasEnded && socket.writableFinished
      ? resolve()
      : reject(new SendFailure("the connection was closed")),
  );
  const isReady = new Promise<void>((ready) => {
    socket.once(socket instanceof TLSSocket ? "secureConnect" : "connect", ready);
  });
  const watch = async (): Promise<void> => {
    await Promise.race([sleep(watchMs), isOver]);
    if (hasEnded) throw new SendFailure("the connection was closed");
  };
  await Promise.race([isReady, isOver]);
  await watch();
  // A receiver may end the connection after a frame and drop others that it has read; a batch of a single frame has
  // then been received.
  if (frames.length > 1) {
    socket.write(Buffer.concat(frames));
    await watch();
    socket.end();
  } else socket.end(Buffer.concat(frames));
  await isOver;
}

/** The code, never the message, which may contain the address. */
function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code ?? (message === "late" ? "no end in time" : message);
}

/** Makes names as RFC 5424 requires: printable ASCII without spaces. */
const ownName =
  hostname()
    .replaceAll(/[^\x21-\x7e]/g, "?")
    .slice(0, 255) || "-";

function frameOf({ name, at, isWarning, fields }: OutEvent): Buffer {
  const time = new Date(at).toISOString();
  const priority = priorities[isWarning ? "warning" : "info"];
  const text = toAscii(JSON.stringify({ event: name, ...fields }));
  const line = `<${priority}>1 ${time} ${ownName} sluice ${process.pid} ${name} - ${text}`;
  return Buffer.from(`${line.length} ${line}`, "latin1");
}

/** A message in ASCII needs no byte order mark; no receiver can mistake its encoding. */
function toAscii(json: string): string {
  return json.replaceAll(
    /[\x7f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
