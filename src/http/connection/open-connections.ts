// Bounds the open connections in total, and per network address and its networks. At the bound, an idle connection is
// closed for the new one, so that clients that only hold connections open can't exclude others.

import { BlockList, isIP } from "node:net";
import { networksOf } from "../rate-limit/address-owner.ts";
import type { Connection } from "./connection.ts";

const candidatesMax = 64;

export interface OpenConnectionsOptions {
  readonly connectionsMax: number;
  /** Bound for one address; a /56 may have twice, and a /48 three times as many. */
  readonly connectionsPerAddressMax: number;
  /** Many clients share the address of a proxy, so only the total bound applies to it. */
  readonly isProxy: (address: string) => boolean;
}

interface Known {
  readonly networks: readonly string[];
  bytesSent: number;
}

export class OpenConnections {
  readonly #options: OpenConnectionsOptions;
  /** The connections in the order in which they were opened, or last considered. */
  readonly #all = new Map<Connection, Known>();
  readonly #byNetwork = new Map<string, Map<Connection, Known>>();
  refused = 0;
  evicted = 0;

  constructor(options: OpenConnectionsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#all.size;
  }

  add(connection: Connection): boolean {
    const { remoteAddress } = connection;
    // The client has already disconnected.
    if (remoteAddress === undefined) return this.#refuse(connection);
    const networks = networksOf(remoteAddress);
    if (!this.#makeRoom(networks, remoteAddress)) return this.#refuse(connection);
    const known = { networks, bytesSent: 0 };
    this.#all.set(connection, known);
    for (const network of networks) {
      const own = this.#byNetwork.get(network) ?? new Map<Connection, Known>();
      this.#byNetwork.set(network, own.set(connection, known));
    }
    connection.once("close", () => this.#remove(connection, networks));
    return true;
  }

  [Symbol.iterator](): Iterator<Connection> {
    return this.#all.keys();
  }

  #refuse(connection: Connection): false {
    this.refused += 1;
    connection.destroy();
    return false;
  }

  #makeRoom(networks: readonly string[], address: string): boolean {
    const { connectionsMax, connectionsPerAddressMax, isProxy } = this.#options;
    for (const [index, network] of networks.entries()) {
      const own = this.#byNetwork.get(network);
      if (own === undefined || own.size < connectionsPerAddressMax * (index + 1)) continue;
      if (!isProxy(address)) return this.#evictIdle(own);
    }
    return this.#all.size < connectionsMax || this.#evictIdle(this.#all);
  }

  /**
   * Closes a connection without a request in progress: the first one to which nothing was sent since it was last
   * considered, otherwise the last one considered. Returns false if all of them have a request in progress.
   */
  #evictIdle(candidates: Map<Connection, Known>): boolean {
    let left = Math.min(candidatesMax, candidates.size);
    let victim: readonly [Connection, Known] | undefined;
    for (const entry of candidates) {
      if (left === 0) break;
      left -= 1;
      const [connection, known] = entry;
      const { bytesWritten } = connection;
      const isIdle = connection.reply === undefined;
      if (isIdle) victim = entry;
      if (isIdle && bytesWritten === known.bytesSent) break;
      known.bytesSent = bytesWritten;
      // Moved to the end, so that the next search begins with others.
      candidates.delete(connection);
      candidates.set(connection, known);
    }
    if (victim === undefined) return false;
    const [connection, { networks }] = victim;
    this.evicted += 1;
    this.#remove(connection, networks);
    connection.destroy();
    return true;
  }

  #remove(connection: Connection, networks: readonly string[]): void {
    this.#all.delete(connection);
    for (const network of networks) {
      const own = this.#byNetwork.get(network);
      if (own?.delete(connection) === true && own.size === 0) this.#byNetwork.delete(network);
    }
  }
}

/** `trustProxy`: the value of the setting, addresses and networks separated by commas. */
export function proxyCheck(trustProxy: false | string): (address: string) => boolean {
  const proxies = new BlockList();
  for (const part of trustProxy === false ? [] : trustProxy.split(",")) {
    const [address = "", bits] = part.trim().split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  return (address) => proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
