// The addresses to which webhooks may be sent: public ones of other machines, and those in the networks that the
// operator names. A customer chooses the URL, and must not reach what only this machine can reach. A URL that names an
// address is refused when its endpoint is created; a name is resolved, and its addresses are checked, at each delivery.

import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import type { App } from "../../actions/app.ts";
import { withoutBrackets } from "../../basics/url-hostname.ts";
import { webhookSettings } from "./rows.ts";
import { urlCharactersMax } from "./webhook.ts";

/** Special-purpose addresses according to the registries of IANA, and multicast. */
const specialIpv4 =
  "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 " +
  "192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4";

/** Everything else is special: loopback, local addresses, multicast, and IPv4 in other forms (mapped, NAT64). */
const globalIpv6 = "2000::/3";
/** Teredo and other protocol assignments, documentation, and IPv4 in 6to4. */
const specialIpv6 = "2001::/23 2001:db8::/32 2002::/16 3fff::/20";

export interface AllowedAddresses {
  /** Whether webhooks may be sent to this address. */
  readonly allows: (address: string) => boolean;
  /** Whether TLS may be missing there. */
  readonly allowsPlain: (address: string) => boolean;
  /** Whether there is any address where TLS may be missing. */
  readonly allowsSomePlain: boolean;
}

/** `networks`: such as `10.1.0.0/16`, or an address. `listOwn`: called each time, because own addresses can change. */
export function makeAllowedAddresses(
  networks: readonly string[],
  listOwn: () => readonly string[] = listOwnAddresses,
): AllowedAddresses {
  const named = listOf(networks);
  const isNamed = (address: string) => has(named, address);
  // A packet filter that protects a port from outside does not protect it from the machine itself.
  const isForeign = (address: string) => isPublic(address) && !has(listOf(listOwn()), address);
  return {
    allows: (address) => isNamed(address) || isForeign(address),
    allowsPlain: isNamed,
    allowsSomePlain: networks.length > 0,
  };
}

/** Those that the settings name, besides public ones. */
export function allowedAddresses({ setting }: Pick<App, "setting">): AllowedAddresses {
  return makeAllowedAddresses(setting(webhookSettings.webhookNetworks));
}

/** What a URL must be, if nothing could ever be sent to this one; otherwise undefined. */
export function findUrlFault(text: string, allowed: AllowedAddresses): string | undefined {
  const url = URL.parse(text);
  const expected = `must be a URL of at most ${urlCharactersMax} characters with https`;
  if (text.length > urlCharactersMax || url === null || url.hostname === "") return expected;
  const isPlain = allowed.allowsSomePlain && url.protocol === "http:";
  if (url.protocol !== "https:" && !isPlain) return expected;
  if (url.username !== "" || url.password !== "") return "must not contain a user or a password";
  if (url.hash !== "") return "must not contain a fragment";
  if (url.port === "0") return "must not have the port 0, to which nothing can be sent";
  const addresses = addressesIn(url.hostname);
  if (addresses.length === 0 || addresses.some(isPlain ? allowed.allowsPlain : allowed.allows)) {
    return undefined;
  }
  return addresses.some(allowed.allows)
    ? "must have https: without TLS, nothing is sent to this address"
    : "must not name an address of this machine or of a private network, unless the operator permits it (WEBHOOK_NETWORKS)";
}

/** The addresses that a host is whatever the name servers say; empty for any other name. */
function addressesIn(hostname: string): readonly string[] {
  const host = withoutBrackets(hostname);
  if (isIP(host) !== 0) return [host];
  return /^(?:.+\.)?localhost\.?$/.test(host) ? ["127.0.0.1", "::1"] : [];
}

/** The addresses of the interfaces of this machine; empty if a sandbox does not permit to list them. */
export function listOwnAddresses(): readonly string[] {
  try {
    const interfaces = Object.values(networkInterfaces());
    return interfaces.flatMap((all = []) => all.map(({ address }) => address));
  } catch {
    return [];
  }
}

const publicIpv6 = listOf([globalIpv6]);
const refusedIpv6 = listOf(specialIpv6.split(" "));
const refusedIpv4 = listOf(specialIpv4.split(" "));

function isPublic(address: string): boolean {
  if (isIPv4(address)) return !has(refusedIpv4, address);
  return isIPv6(address) && has(publicIpv6, address) && !has(refusedIpv6, address);
}

/** An IPv6 address is never in a network of IPv4: the list would take a mapped address for the IPv4 address in it. */
interface Networks {
  readonly ipv4: BlockList;
  readonly ipv6: BlockList;
}

function listOf(networks: readonly string[]): Networks {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIPv4(address) ? "ipv4" : "ipv6";
    const all = family === "ipv4" ? 32 : 128;
    lists[family].addSubnet(address, bits === undefined ? all : Number(bits), family);
  }
  return lists;
}

function has({ ipv4, ipv6 }: Networks, address: string): boolean {
  if (isIPv4(address)) return ipv4.check(address, "ipv4");
  return isIPv6(address) && ipv6.check(address, "ipv6");
}
