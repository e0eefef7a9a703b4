// A port for a program or a service whose address has to be known before it listens.

import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** Free a moment ago: another process can take it first. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
