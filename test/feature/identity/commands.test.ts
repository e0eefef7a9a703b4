// The commands for identities of programs: what a rule may be, and what is said of a token.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { makeFakeClock } from "../../support/fake-clock.ts";
import { startPlatformIssuer } from "./platform-issuer.ts";
import { makeCommandLine } from "../../cli/command-line.ts";

const clock = makeFakeClock();
const line = makeCommandLine({ now: clock.now });
await line.ask("organization create --name Acme --id acme");
await line.ask("organization create --name Other --id other");
const issuer = await startPlatformIssuer(clock.now);
after(() => issuer.stop());

const usual = `--scopes transactions:write --issuer ${issuer.address} --audience sluice`;
const create = (more: string) => {
  // Rules are tried and listed in the order of their creation.
  clock.advanceMs(1);
  return line.ask(`identity create --organization acme ${usual} ${more}`);
};

function write(name: string, content: string): string {
  const path = join(line.folder, name);
  writeFileSync(path, content);
  return path;
}

const jwks = write("jwks.json", JSON.stringify({ keys: issuer.keys }));

interface Tested {
  readonly code: number;
  readonly accepted_by: string | null;
  readonly fault: string | null;
  readonly rules: readonly { readonly identity_id: string; readonly fault: string | null }[];
}

async function test(token: string): Promise<Tested> {
  const path = write("token", `${token}\n`);
  const { code, out } = await line.type(`identity test ${path} --organization acme --json`);
  return { code, ...(JSON.parse(out) as Omit<Tested, "code">) };
}

describe("identity create", () => {
  it("stores a rule that list shows, without being an API key", async () => {
    const made = await create("--claim sub=intake --claim ref=main --lifetime 30m --name nightly");
    assert.match(String(made["identity_id"]), /^idn_\w{16}$/);
    assert.deepEqual(made["claims"], { sub: "intake", ref: "main" });
    assert.equal(made["lifetime_seconds"], 1_800);
    assert.equal(made["reusable"], false);
    const { identities } = await line.ask("identity list --organization acme");
    assert.deepEqual(identities, [made]);
    assert.deepEqual(await line.ask("identity list --organization other"), { identities: [] });
    assert.deepEqual(await line.ask("key list"), { keys: [] });
    for (const command of ["key revoke", "key rotate"]) {
      const { name } = await line.fail(`${command} ${String(made["identity_id"])}`);
      assert.equal(name, "no_such_key");
    }
    await line.ask(`identity revoke ${String(made["identity_id"])}`);
  });

  it("refuses rules that are not safe", async () => {
    const wrong = [
      "--claim sub=*",
      "--claim sub=a*b",
      "--claim sub=a**",
      "--claim sub=a --lifetime 1m",
      "--claim sub=a --lifetime 2d",
      "--claim sub=a --jwks-url http://keys.example.com/",
      "--claim sub=a --jwks-url file:///etc/passwd",
      `--claim sub=a --jwks-file ${write("none.json", '{"keys":[]}')}`,
      `--claim sub=a --jwks-file ${write("secret.json", '{"keys":[{"kty":"oct","k":"AAAA"}]}')}`,
      `--claim sub=a --jwks-file ${write("private.json", '{"keys":[{"kty":"EC","d":"AAAA"}]}')}`,
      `--claim sub=a --jwks-file ${write("broken.json", "{")}`,
    ];
    for (const more of wrong) {
      const { name } = await line.fail(`identity create --organization acme ${usual} ${more}`);
      assert.equal(name, "invalid", more);
    }
    const issuers = ["http://issuer.example.com", "issuer", "https://a:b@c", "https://a/?b=c"];
    for (const one of issuers) {
      const given = `--scopes person:read --audience a --claim sub=a --issuer ${one}`;
      const { name } = await line.fail(`identity create --organization acme ${given}`);
      assert.equal(name, "invalid", one);
    }
    for (const more of [
      "",
      "--claim sub=a --claim sub=b",
      "--claim sub",
      `--claim a=b --jwks-url x --jwks-file ${jwks}`,
    ])
      assert.equal(
        (await line.fail(`identity create --organization acme ${usual} ${more}`)).name,
        "usage",
        more,
      );
  });

  it("refuses more than 20 rules in an organization", async () => {
    const rules: unknown[] = [];
    for (let count = 0; count < 20; count += 1) {
      rules.push((await create(`--claim sub=a --jwks-file ${jwks}`))["identity_id"]);
    }
    const { name } = await line.fail(`identity create --organization acme ${usual} --claim sub=a`);
    assert.equal(name, "too_many_identities");
    for (const id of rules) await line.ask(`identity revoke ${String(id)}`);
  });
});

describe("identity test", () => {
  it("names the rule that accepts a token, and why others don't", async () => {
    const [first, second] = [await create("--claim sub=intake"), await create("--claim sub=re*")];
    const { code, accepted_by: accepted, rules } = await test(issuer.sign({ sub: "report" }));
    assert.equal(code, 0);
    assert.equal(accepted, second["identity_id"]);
    assert.deepEqual(rules, [
      { identity_id: first["identity_id"], fault: "the claim sub is another" },
      { identity_id: second["identity_id"], fault: null },
    ]);
    const none = await test(issuer.sign({ sub: "other" }));
    assert.deepEqual([none.code, none.accepted_by], [3, null]);
    for (const { identity_id: id } of [first, second])
      await line.ask(`identity revoke ${String(id)}`);
  });

  it("accepts the keys of a file without asking the issuer", async () => {
    const made = await create(`--claim sub=a --jwks-file ${jwks}`);
    const before = issuer.requests.length;
    assert.equal((await test(issuer.sign({ sub: "a" }))).accepted_by, made["identity_id"]);
    assert.equal(issuer.requests.length, before);
    await line.ask(`identity revoke ${String(made["identity_id"])}`);
  });

  it("says what is wrong with a token that no rule could accept", async () => {
    assert.match((await test("not a token")).fault ?? "", /not a signed JWT/);
    assert.match((await test(issuer.sign({ sub: "a", exp: 1 }))).fault ?? "", /expired/);
    const { code, err } = await line.type(
      `identity test ${line.folder}/absent --organization acme`,
    );
    assert.equal(code, 1);
    assert.match(err, /absent can't be read/);
  });

  it("says that there is no active rule", async () => {
    const path = write("token", issuer.sign({ sub: "a" }));
    const { out } = await line.type(`identity test ${path} --organization acme`);
    assert.match(out, /no active rule/);
  });
});

describe("identity revoke", () => {
  it("is in the audit trail, with what the rule was", async () => {
    const made = await create(`--claim sub=audited --jwks-file ${jwks}`);
    const id = String(made["identity_id"]);
    assert.equal((await line.ask(`identity revoke ${id}`))["status"], "revoked");
    assert.equal((await line.ask(`identity revoke ${id}`))["status"], "revoked");
    const { out } = await line.type("audit export");
    const entries = out.split("\n").filter((text) => text.includes(id));
    assert.deepEqual(
      entries.map((text) => (JSON.parse(text) as { action: string }).action),
      ["identity.create", "identity.revoke"],
    );
    assert.match(entries[0] ?? "", /"claims":\{"sub":"audited"\}/);
    assert.ok((entries[0] ?? "").includes(issuer.address));
    assert.equal((await line.fail("identity revoke idn_unknown")).name, "no_such_identity");
  });
});
