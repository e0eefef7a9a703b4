// Node's server with the bounds of the service, and nothing of the service behind it.

import { once } from "node:events";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { makeHttpServer } from "../../../src/http/connection/http-server.ts";
import {
  type BoundsOptions,
  makeSharedBounds,
} from "../../../src/http/connection/shared-bounds.ts";
import { makeLog } from "../../../src/log.ts";

export function makeBareServer(handle: RequestListener, bounds: BoundsOptions = {}) {
  const sharedBounds = makeSharedBounds({ trustProxy: false }, bounds);
  const server = makeHttpServer(handle, { sharedBounds, log: makeLog("silent") });
  const listen = async (): Promise<number> => {
    await once(server.listen(0, "127.0.0.1"), "listening");
    return (server.address() as AddressInfo).port;
  };
  return { server, sharedBounds, listen };
}
