// Some proxies add ports to the addresses in X-Forwarded-For. With its port, each connection would count as a client of
// its own, and the address of a trusted proxy would not be recognized.

import { type IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

const forms = [/^\[([^\]]{1,64})\](?::\d{1,5})?$/, /^([\d.]{7,15}):\d{1,5}$/];

/** Removes the ports, and the brackets around IPv6 addresses, before anything reads the header. */
export function dropForwardedPorts(headers: IncomingHttpHeaders): void {
  const forwarded = headers["x-forwarded-for"];
  if (typeof forwarded !== "string" || !forwarded.includes(":")) return;
  headers["x-forwarded-for"] = forwarded.split(",").map(addressOf).join(", ");
}

/** Text that is not an address remains as it is. */
function addressOf(part: string): string {
  const text = part.trim();
  const address = forms.map((form) => form.exec(text)?.[1]).find((found) => found !== undefined);
  return address !== undefined && isIP(address) !== 0 ? address : text;
}
