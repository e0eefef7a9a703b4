// A name server on loopback for tests, which answers each question with the addresses that the test gives.

import { createSocket } from "node:dgram";
import { once } from "node:events";

export interface NameServer {
  /** The address for a resolver. */
  readonly address: string;
  /** The questions for IPv4 addresses so far. */
  readonly asked: readonly string[];
  close(): void;
}

const headBytes = 12;
const typeA = 1;

/** `answer`: the IPv4 addresses of a name, asked for at each question; undefined leaves it without a reply. */
export async function startNameServer(
  answer: (name: string, asked: number) => readonly string[] | undefined,
): Promise<NameServer> {
  const socket = createSocket("udp4");
  const asked: string[] = [];
  socket.on("message", (query, { port, address }) => {
    const { name, end, type } = readQuestion(query);
    const addresses = type === typeA ? answer(name, asked.length) : [];
    if (type === typeA) asked.push(name);
    if (addresses === undefined) return;
    const question = query.subarray(headBytes, end);
    const head = Buffer.from(query.subarray(0, headBytes));
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(addresses.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, question, ...addresses.map(record)]), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => void socket.close(),
  };
}

function readQuestion(query: Buffer): { name: string; end: number; type: number } {
  const labels: string[] = [];
  let at = headBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join("."), end: at + 5, type: query.readUInt16BE(at + 1) };
}

/** The answer refers to the question, with a time to live of zero. */
function record(address: string): Buffer {
  const bytes = address.split(".").map(Number);
  return Buffer.from([0xc0, headBytes, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, ...bytes]);
}
