// Bounds the open connections in total, and per network address and its networks. At the bound, an idle connection is
// closed for the new one, so that clients that only hold connections open can't exclude others.

import { BlockList, isIP, type Socket } from "node:net";
import { networksOf } from "../rate-limit/address-owner.ts";
import type { Connection } from "./connection.ts";
import { sharedListener } from "./shared-listener.ts";

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
  /** Undefined until it sends something. */
  connection: Connection | undefined;
  /** At the last call of `closeSilent`, although it was being read. */
  wasSilent: boolean;
  bytesSent: number;
}

export class OpenConnections {
  readonly #options: OpenConnectionsOptions;
  /** The connections in the order in which they were opened, or last considered. */
  readonly #all = new Map<Socket, Known>();
  readonly #byNetwork = new Map<string, Map<Socket, Known>>();
  refused = 0;
  evicted = 0;
  readonly #forget = sharedListener((socket) => this.#remove(socket));

  constructor(options: OpenConnectionsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#all.size;
  }

  /** Returns false if it has to be closed. */
  add(socket: Socket): boolean {
    const { remoteAddress } = socket;
    // The client has already disconnected, as probes of load balancers do: that is no refusal.
    if (remoteAddress === undefined) return false;
    const networks = networksOf(remoteAddress);
    if (!this.#makeRoom(networks, remoteAddress)) {
      this.refused += 1;
      return false;
    }
    const known: Known = { networks, connection: undefined, wasSilent: false, bytesSent: 0 };
    this.#all.set(socket, known);
    for (const network of networks) {
      const own = this.#byNetwork.get(network) ?? new Map<Socket, Known>();
      this.#byNetwork.set(network, own.set(socket, known));
    }
    socket.on("close", this.#forget);
    return true;
  }

  /** Call when it has sent something. */
  began(socket: Socket, connection: Connection): void {
    const known = this.#all.get(socket);
    if (known !== undefined) known.connection = connection;
  }

  /** Those that have sent something. */
  *[Symbol.iterator](): Generator<Connection> {
    for (const { connection } of this.#all.values()) if (connection !== undefined) yield connection;
  }

  /**
   * Closes those that had sent nothing at the last call either, which Node does not know. Others may have sent a
   * request that the system has received, and that an event loop that is late has not read.
   */
  closeSilent(): void {
    for (const [socket, known] of this.#all) {
      if (known.connection !== undefined) continue;
      if (known.wasSilent) socket.destroy();
      known.wasSilent = !socket.isPaused();
    }
  }

  closeAll(): void {
    for (const socket of this.#all.keys()) socket.destroy();
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
  #evictIdle(candidates: Map<Socket, Known>): boolean {
    let left = Math.min(candidatesMax, candidates.size);
    let victim: Socket | undefined;
    for (const [socket, known] of candidates) {
      if (left === 0) break;
      left -= 1;
      const { bytesWritten } = socket;
      const isIdle = known.connection?.reply === undefined;
      if (isIdle) victim = socket;
      if (isIdle && bytesWritten === known.bytesSent) break;
      known.bytesSent = bytesWritten;
      // Moved to the end, so that the next search begins with others.
      candidates.delete(socket);
      candidates.set(socket, known);
    }
    if (victim === undefined) return false;
    this.evicted += 1;
    this.#remove(victim);
    victim.destroy();
    return true;
  }

  #remove(socket: Socket): void {
    const known = this.#all.get(socket);
    this.#all.delete(socket);
    for (const network of known?.networks ?? []) {
      const own = this.#byNetwork.get(network);
      if (own?.delete(socket) === true && own.size === 0) this.#byNetwork.delete(network);
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
