// Webhooks are sent to public addresses, and to those that the operator names; to nothing else in any form.

import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { describe, it } from "node:test";
import {
  listOwnAddresses,
  makeAllowedAddresses,
} from "../../../src/worker/webhook/allowed-address.ts";

const special = [
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "127.0.0.1",
  "127.255.255.254",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.8",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "239.255.255.255",
  "255.255.255.255",
  "::",
  "::1",
  "fc00::1",
  "fd12:3456::1",
  "fe80::1",
  "ff02::1",
  "::ffff:127.0.0.1",
  "::ffff:7f00:1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "64:ff9b::808:808",
  "64:ff9b:1::1",
  "2001::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "100::1",
  "::127.0.0.1",
  "",
  "localhost",
];

describe("an address", () => {
  it("is refused unless it is public", () => {
    const { allows, allowsPlain } = makeAllowedAddresses([]);
    for (const address of special) assert.equal(allows(address), false, address);
    for (const address of ["8.8.8.8", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2606:4700::1"]) {
      assert.equal(allows(address), true, address);
      assert.equal(allowsPlain(address), false, address);
    }
  });

  it("is refused if it is one of the machine's own, though it is public", () => {
    const own = ["203.0.114.7", "2606:4700::7"];
    const { allows } = makeAllowedAddresses([], () => own);
    for (const address of [...own, "2606:4700:0:0::7"])
      assert.equal(allows(address), false, address);
    for (const address of ["203.0.114.8", "2606:4700::8"]) assert.equal(allows(address), true);
    const named = makeAllowedAddresses(["203.0.114.7"], () => own);
    assert.equal(named.allows("203.0.114.7"), true);
    const interfaces = Object.values(networkInterfaces()).flatMap((all = []) => all);
    assert.deepEqual(
      listOwnAddresses(),
      interfaces.map(({ address }) => address),
    );
  });

  it("is allowed in a network that the operator names, also without TLS", () => {
    const { allows, allowsPlain } = makeAllowedAddresses(["10.1.0.0/16", "127.0.0.1", "fd00::/8"]);
    for (const address of ["10.1.2.3", "127.0.0.1", "fd12:3456::1"]) {
      assert.equal(allows(address), true, address);
      assert.equal(allowsPlain(address), true, address);
    }
    for (const address of ["10.2.0.1", "127.0.0.2", "::1", "::ffff:10.1.2.3", "64:ff9b::a01:203"]) {
      assert.equal(allows(address), false, address);
    }
    assert.equal(makeAllowedAddresses(["64:ff9b::/96"]).allows("64:ff9b::808:808"), true);
  });
});
