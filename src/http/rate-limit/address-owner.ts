// The owners of the limits of a network address: an IPv4 address itself, or networks of an IPv6 address, because one
// host usually has a whole /64, and one customer of a provider a /56 or a /48. Only parses text; never resolves a name.

import { isIP } from "node:net";

const strayCharactersMax = 64;

/** The key of the limits of one host, e.g. `192.0.2.7` or `2001:db8:0:1::/64`. */
export function addressOwner(address: string): string {
  return readNetworks(address, [64])[0] ?? "";
}

export function networksOf(address: string): readonly string[] {
  return readNetworks(address, [64, 56, 48]);
}

function readNetworks(address: string, prefixes: readonly number[]): readonly string[] {
  const [plain = ""] = address.split("%", 1);
  const version = isIP(plain);
  if (version === 4) return [plain];
  if (version === 0) return [address.slice(0, strayCharactersMax)];
  const groups = groupsOf(plain);
  const [high = 0, low = 0] = groups.slice(6);
  if (isMapped(groups)) return [`${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`];
  return prefixes.map((bits) => {
    const network = groups.slice(0, 4).map((group, index) => group & maskOf(bits - index * 16));
    return `${network.map((group) => group.toString(16)).join(":")}::/${bits}`;
  });
}

function maskOf(bits: number): number {
  return (0xffff << (16 - Math.max(0, Math.min(16, bits)))) & 0xffff;
}

/** IPv4 inside IPv6: ::ffff:0:0/96 (RFC 4291, section 2.5.5.2). */
function isMapped(groups: readonly number[]): boolean {
  return groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
}

/** The parser of URLs writes an address in one way: in hexadecimal, without leading zeros. */
function groupsOf(address: string): readonly number[] {
  const { hostname } = new URL(`http://[${address}]`);
  const halves = hostname.slice(1, -1).split("::");
  const [before = [], after = []] = halves.map((half) => half.split(":").filter(Boolean));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}
