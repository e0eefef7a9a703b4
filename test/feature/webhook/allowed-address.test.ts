// Webhooks are sent to public addresses, and to those that the operator names; to nothing else in any form.

import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { describe, it } from "node:test";
import {
  findUrlFault,
  listOwnAddresses,
  makeAllowedAddresses,
} from "../../../src/feature/webhook/allowed-address.ts";

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

describe("the URL of an endpoint", () => {
  const closed = makeAllowedAddresses([]);
  const open = makeAllowedAddresses(["10.1.0.0/16", "127.0.0.1"]);

  it("may be any https URL without a user, a password and a fragment", () => {
    const good = ["https://a.example", "https://a.example:8443/b?c=d", "https://[2606:4700::1]/"];
    for (const url of good) assert.equal(findUrlFault(url, closed), undefined, url);
    const bad = [
      "",
      "a.example",
      "ftp://a.example",
      "http://a.example",
      "https://",
      "javascript:alert(1)",
      `https://a.example/${"x".repeat(2_000)}`,
      "https://user@a.example",
      "https://:password@a.example",
      "https://a.example/#b",
      "https://a.example:0/",
    ];
    for (const url of bad) assert.match(findUrlFault(url, closed) ?? "", /^must /, url);
    assert.match(findUrlFault("file:///etc/passwd", open) ?? "", /https/);
  });

  it("is refused if it names an address to which nothing is sent, in whatever form", () => {
    const hosts = ["127.0.0.1", "2130706433", "0x7f.1", "[::1]", "localhost", "a.localhost."];
    for (const host of [...hosts, "10.1.0.1", "169.254.169.254", "[::ffff:10.1.0.1]"]) {
      assert.match(findUrlFault(`https://${host}/a`, closed) ?? "", /private network/, host);
    }
    for (const host of ["10.2.0.1", "[::1]"]) {
      assert.match(findUrlFault(`https://${host}/a`, open) ?? "", /private network/, host);
    }
  });

  it("is without TLS only for a network that the operator names, or a name that may be there", () => {
    for (const host of ["10.1.0.1", "127.0.0.1", "localhost", "a.example"]) {
      for (const scheme of ["http", "https"]) {
        assert.equal(findUrlFault(`${scheme}://${host}/a`, open), undefined, host);
      }
    }
    assert.match(findUrlFault("http://8.8.8.8/a", open) ?? "", /^must have https/);
    assert.match(findUrlFault("http://a.example", closed) ?? "", /with https/);
  });
});
