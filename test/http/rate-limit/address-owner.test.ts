// Whose limits an address counts against.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addressOwner, networksOf } from "../../../src/http/rate-limit/address-owner.ts";

describe("the owner of an address", () => {
  for (const [address, owner] of [
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:c000:207", "192.0.2.7"],
    ["0:0:0:0:0:ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:0:0:ffff:ffff:ffff:ffff", "2001:db8:0:0::/64"],
    ["2001:0DB8:0000:1::", "2001:db8:0:1::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:3:4:192.0.2.7", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["1::", "1:0:0:0::/64"],
    ["64:ff9b::192.0.2.7", "64:ff9b:0:0::/64"],
    ["unknown", "unknown"],
    ["", ""],
  ] as const) {
    it(`is ${owner || "nothing"} for ${address || "nothing"}`, () => {
      assert.equal(addressOwner(address), owner);
    });
  }

  it("is followed by the wider networks, which an IPv4 address does not have", () => {
    assert.deepEqual(networksOf("2001:db8:12:34ff:5::6"), [
      "2001:db8:12:34ff::/64",
      "2001:db8:12:3400::/56",
      "2001:db8:12:0::/48",
    ]);
    assert.deepEqual(networksOf("2001:db8:12:3400::"), networksOf("2001:db8:12:3400::1"));
    assert.deepEqual(networksOf("::ffff:192.0.2.7"), ["192.0.2.7"]);
    assert.deepEqual(networksOf("stray"), ["stray"]);
  });

  it("is cut where a proxy passed on a long value", () => {
    assert.equal(addressOwner("x".repeat(10_000)).length, 64);
  });
});
