// The commands for API keys, and the replies of the service to their keys.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { identifyKeyHolder } from "../../src/actions/access/issue-token.ts";
import { AppError } from "../../src/domain/error.ts";
import { recordScopes } from "../../src/domain/scope.ts";
import { makeFakeClock } from "../support/fake-clock.ts";
import { makeCommandLine } from "./command-line.ts";

const clock = makeFakeClock();
const line = makeCommandLine({ now: clock.now });
await line.ask("organization create --name Acme --id acme");
const dayMs = 86_400_000;

/**
 * `valid`, or the name of the error that the service returns for the key at the time of the clock.
 */
async function verdict(apiKey: string): Promise<string> {
  return line.beside(async (app) => {
    try {
      await identifyKeyHolder({ ...app, now: clock.now }, apiKey);
      return "valid";
    } catch (error) {
      assert.ok(error instanceof AppError);
      return error.errorName;
    }
  });
}

describe("key create", () => {
  it("prints exactly key_id, api_key, organization_id and scopes as JSON", async () => {
    const made = await line.ask(
      "key create --organization acme --scopes transactions:write,person:read,person:read",
    );
    assert.deepEqual(Object.keys(made), ["key_id", "api_key", "organization_id", "scopes"]);
    assert.match(String(made["key_id"]), /^key_\w{16}$/);
    assert.equal(made["organization_id"], "acme");
    assert.deepEqual(made["scopes"], ["transactions:write", "person:read"]);
    assert.equal(await verdict(String(made["api_key"])), "valid");
  });

  it("grants every scope when none is named", async () => {
    assert.deepEqual((await line.ask("key create --organization acme"))["scopes"], recordScopes);
  });

  it("shows the key once", async () => {
    const { out } = await line.type("key create --organization acme --name nightly");
    const secret = /sluice_key_\w{49}/.exec(out)?.[0] ?? "";
    assert.equal(await verdict(secret), "valid");
    assert.match(out, /shown only once/);
    const everything = (await line.type("key list")).out + (await line.type("key list --json")).out;
    assert.match(everything, /nightly/);
    assert.ok(!everything.includes("sluice_key_"));
  });

  it("sets the expiry of a key", async () => {
    const made = await line.ask("key create --organization acme --expires 90d");
    const secret = String(made["api_key"]);
    clock.advanceMs(90 * dayMs - 1);
    assert.equal(await verdict(secret), "valid");
    clock.advanceMs(1);
    assert.equal(await verdict(secret), "credential_expired");
  });

  it("refuses an unknown organization, and lists the existing ones", async () => {
    const { name, message } = await line.fail("key create --organization acne");
    assert.equal(name, "no_such_organization");
    assert.match(message, /There are: acme \(Acme\)\./);
    assert.equal((await line.fail("key list --organization acne")).name, "no_such_organization");
  });
});

describe("key revoke", () => {
  it("ends the key, and has the same result when repeated", async () => {
    const made = await line.ask("key create --organization acme");
    const id = String(made["key_id"]);
    const revoked = await line.ask("key revoke", id);
    assert.equal(revoked["status"], "revoked");
    assert.equal(await verdict(String(made["api_key"])), "credential_revoked");
    clock.advanceMs(1_000);
    assert.deepEqual(await line.ask("key revoke", id), revoked);
    const { out } = await line.type("key list --organization acme");
    assert.match(out, new RegExp(`^${id} .*revoked \\d{4}-`, "m"));
  });

  it("answers an unknown id with the existing ones", async () => {
    const { name, message } = await line.fail("key revoke key_0000000000000000");
    assert.equal(name, "no_such_key");
    assert.match(message, /no key "key_0000000000000000".*There are: key_/);
  });

  it("never repeats a secret that was passed in place of the id", async () => {
    const secret = String((await line.ask("key create --organization acme"))["api_key"]);
    for (const words of [
      ["key", "revoke", secret],
      ["key", "rotate", secret, "--json"],
    ]) {
      const { code, out, err } = await line.type(...words);
      assert.equal(code, 1);
      assert.ok(!(out + err).includes(secret));
      assert.match(err, /ids begin with key_/);
    }
    assert.equal(await verdict(secret), "valid");
  });
});

describe("key rotate", () => {
  it("creates a successor like the old key, which works until the overlap ends", async () => {
    const old = await line.ask("key create --organization acme --scopes person:read --expires 30d");
    clock.advanceMs(10 * dayMs);
    const made = await line.ask("key rotate", String(old["key_id"]), "--overlap", "2h");
    assert.deepEqual(made["scopes"], ["person:read"]);
    assert.equal(made["old_key_id"], old["key_id"]);
    assert.equal(made["old_key_expires_at"], new Date(clock.now() + 7_200_000).toISOString());
    clock.advanceMs(7_199_999);
    assert.equal(await verdict(String(old["api_key"])), "valid");
    clock.advanceMs(1);
    assert.equal(await verdict(String(old["api_key"])), "credential_expired");
    assert.equal(await verdict(String(made["api_key"])), "valid");
    clock.advanceMs(30 * dayMs);
    assert.equal(await verdict(String(made["api_key"])), "credential_expired");
  });

  it("never extends the life of the old key", async () => {
    const old = await line.ask("key create --organization acme --expires 1h");
    const made = await line.ask("key rotate", String(old["key_id"]));
    assert.equal(made["old_key_expires_at"], new Date(clock.now() + 3_600_000).toISOString());
  });

  it("refuses a key that was revoked or has expired", async () => {
    const revoked = String((await line.ask("key create --organization acme"))["key_id"]);
    await line.ask("key revoke", revoked);
    const expired = await line.ask("key create --organization acme --expires 1s");
    clock.advanceMs(1_000);
    for (const id of [revoked, String(expired["key_id"])]) {
      await line.refused("key_ended", /sluice key create --organization acme/, "key rotate", id);
    }
  });
});
