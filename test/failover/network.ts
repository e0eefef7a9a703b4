// One network namespace for each server of a cluster, connected by a bridge, so that a server can be cut off from all
// others without a trace in its processes. Only as root on Linux.

import { execFileSync } from "node:child_process";

export interface Network {
  /** The address of the machine itself, which all servers reach. */
  readonly own: string;
  /** Of server n, counted from 1. */
  addressOf(server: number): string;
  /** The command that runs another one there. */
  inside(server: number): readonly string[];
  cut(server: number): void;
  join(server: number): void;
  remove(): void;
}

export function makeNetwork(servers: number): Network {
  const tag = `s${process.pid % 100_000}`;
  const subnet = `10.${200 + (process.pid % 50)}.${Math.floor(process.pid / 50) % 250}`;
  const numbers = Array.from({ length: servers }, (_, index) => index + 1);
  const remove = (): void => {
    process.off("exit", remove);
    for (const number of numbers) tryIp(["netns", "del", `${tag}n${number}`]);
    tryIp(["link", "del", `${tag}br`]);
  };
  process.on("exit", remove);
  ip(["link", "add", `${tag}br`, "type", "bridge"]);
  ip(["addr", "add", `${subnet}.1/24`, "dev", `${tag}br`]);
  ip(["link", "set", `${tag}br`, "up"]);
  for (const number of numbers) {
    const [space, outer, inner] = [`${tag}n${number}`, `${tag}o${number}`, `${tag}i${number}`];
    ip(["netns", "add", space]);
    ip(["link", "add", outer, "type", "veth", "peer", "name", inner, "netns", space]);
    ip(["link", "set", outer, "master", `${tag}br`, "up"]);
    ip(["-n", space, "addr", "add", `${subnet}.${10 + number}/24`, "dev", inner]);
    ip(["-n", space, "link", "set", inner, "up"]);
    ip(["-n", space, "link", "set", "lo", "up"]);
  }
  return {
    own: `${subnet}.1`,
    addressOf: (server) => `${subnet}.${10 + server}`,
    inside: (server) => ["ip", "netns", "exec", `${tag}n${server}`],
    cut: (server) => ip(["link", "set", `${tag}o${server}`, "nomaster"]),
    join: (server) => ip(["link", "set", `${tag}o${server}`, "master", `${tag}br`]),
    remove,
  };
}

function ip(words: readonly string[]): void {
  execFileSync("ip", words, { stdio: ["ignore", "ignore", "pipe"] });
}

function tryIp(words: readonly string[]): void {
  try {
    ip(words);
  } catch {
    // It was never made.
  }
}
