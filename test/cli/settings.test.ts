// Settings with invalid values: each is refused at start in a sentence that names it and says what was expected.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addedSettings, allSettings } from "../../src/process/added-settings.ts";
import { ConfigError, readConfig } from "../../src/settings/config.ts";
import type { SettingCase } from "../feature/sample.ts";
import { samples } from "../feature/samples.ts";
import { makeCommandLine } from "./command-line.ts";

const wrong: readonly SettingCase[] = [
  ["HOST", [" "], /an address of this machine, such as 127\.0\.0\.1/],
  ["PORT", ["x", "-1", "65536", "80.5", " 80", "0x50", "1e3"], /whole number from 0 to 65535/],
  [
    "DATABASE_URL",
    ["data/sluice.db", "mysql://secret@x", "sqlite:", "sqlite::memory:", "sqlite://:memory:"],
    /sqlite: followed by the path of a file/,
  ],
  [
    "DATABASE_URL",
    [
      "postgres://",
      "postgres://u:secret@a b/c",
      "postgres://u:secret@127.0.0.1:99999/x",
      "postgres://u:secret@one,/x",
      "postgres://u:secret@one,two:99999/x",
      "postgres://u:secret@1,2,3,4,5,6,7,8,9/x",
      "postgres://u:secret@one,two/x?target_session_attrs=any",
      "postgres://u:secret@one/x?target_session_attrs=read-write&target_session_attrs=any",
    ],
    /a URL such as postgres:\/\/user:password@host:5432\/database/,
  ],
  ["DATABASE_POOL_MAX", ["1", "1001"], /whole number from 2 to 1000/],
  ["DATABASE_PREPARE", ["yes", "ON"], /on or off/],
  ["DATABASE_STATEMENT_TIMEOUT_MS", ["99", "x"], /whole number from 100/],
  ["DATABASE_LOCK_TIMEOUT_MS", ["9", "x"], /whole number from 10/],
  ["DATABASE_START_TIMEOUT_MS", ["-1", "x"], /whole number from 0/],
  ["DATA_DIR", [" "], /the path of a folder/],
  ["RECEIPT_KEY_FILE", [" "], /the path of a file/],
  ["LOG_LEVEL", ["loud", "INFO"], /one of fatal, error, warn, info/],
  ["RATE_LIMIT_PER_SECOND", ["-1", "1.5", "x"], /whole number from 0/],
  [
    "METRICS_TOKEN",
    ["short secret", "secret with spaces in it", "ü".repeat(32), "x".repeat(1_025)],
    /16 to 1024 letters/,
  ],
  ["DELETION_POLL_MS", ["0", "x"], /whole number from 10/],
  ["CLOCK_JUMP_HOURS", ["-1", "x"], /whole number from 0/],
  ["TIMESTAMP_MIN", ["0", "1980", "1980-02-30"], /a date such as 1980-01-01/],
  ["SHUTDOWN_DELAY_MS", ["-1", "600001", "5s"], /whole number from 0 to 600000/],
  ["SHUTDOWN_GRACE_MS", ["-1", "1e3"], /whole number from 0/],
  [
    "TRUST_PROXY",
    ["on", ",", "10.0.0.0/33", "10.0.0.0/999", "10.0.0.0/", "::1/129", "1.2.3.4/8/8", "localhost"],
    /off, or addresses and networks such as 10\.0\.0\.0\/8/,
  ],
  ["CONSOLE", ["yes", "OFF"], /on or off/],
  [
    "CONSOLE_URL",
    [
      "sluice.example.com",
      "ftp://sluice.example.com",
      "https://secret@sluice.example.com",
      "https://sluice.example.com/console",
      "https://sluice.example.com?a=b",
    ],
    /a URL without a path, such as https:\/\/sluice\.example\.com/,
  ],
  [
    "OIDC_ISSUER",
    [
      "login.example.com",
      "http://login.example.com",
      "ftp://login.example.com",
      "https://user:secret@login.example.com",
      "https://login.example.com?tenant=a",
    ],
    /an https URL without a query, such as https:\/\/login\.example\.com/,
  ],
  ["OIDC_CLIENT_ID", [" ", "a ", "ä", "x".repeat(1_025)], /1 to 1024 visible ASCII characters/],
  ["OIDC_CLIENT_SECRET", ["secret\n", " secret"], /1 to 1024 visible ASCII characters/],
  ["OIDC_SCOPE", ["profile", "openid,profile", "openid  email"], /with openid among them/],
  ["OIDC_ROLES_CLAIM", [" "], /the name of a claim/],
  ["OIDC_ROLES", ["ops", "ops=king", "=viewer", "a=viewer,%zz=viewer"], /value=role pairs/],
  [
    "NODE_ENV",
    ["prod", "Production", "production ", "staging", "dev"],
    /production, development or test/,
  ],
  ...samples.flatMap(({ settings }) => settings?.wrong ?? []),
];

const right: readonly (readonly [name: string, value: string])[] = [
  ["PORT", "0"],
  ["PORT", "65535"],
  ["DATABASE_URL", "sqlite:///var/lib/sluice/sluice.db"],
  ["DATABASE_URL", "postgresql://user:p%40ss@db.example:5432/sluice?sslmode=require"],
  ["DATABASE_URL", "postgres://user@/sluice?host=/run/postgresql"],
  ["DATABASE_URL", "postgres:///sluice"],
  ["DATABASE_URL", "postgres://user@one:5432,two:5433/sluice?target_session_attrs=read-write"],
  ["TRUST_PROXY", "10.0.0.0/8, 127.0.0.1,::1,fd00::/8"],
  ["METRICS_TOKEN", "0123456789abcdef0123456789abcdef"],
  ["RATE_LIMIT_PER_SECOND", "0"],
  ["PORT", ""],
  ["NODE_ENV", "test"],
  ["NODE_ENV", ""],
  ...samples.flatMap(({ settings }) => settings?.right ?? []),
];

describe("a setting", () => {
  for (const [name, values, expected] of wrong) {
    for (const value of values) {
      it(`${name} is refused by its name when it is ${JSON.stringify(value)}`, () => {
        assert.throws(
          () => readConfig({ [name]: value }, addedSettings),
          ({ message }: ConfigError) => {
            assert.match(message, new RegExp(`^${name} must be `));
            assert.match(message, expected);
            assert.ok(!message.includes("secret"), "a password is repeated");
            return !message.includes("\n");
          },
        );
      });
    }
  }

  it("is tested with invalid values here, whichever it is", () => {
    const names = new Set(wrong.map(([name]) => name));
    const untried = allSettings.filter(({ name }) => !names.has(name));
    assert.deepEqual(
      untried.map(({ name }) => name),
      [],
    );
  });

  for (const [name, value] of right) {
    it(`${name} can be ${JSON.stringify(value)}`, () => {
      assert.doesNotThrow(() => readConfig({ [name]: value }, addedSettings));
    });
  }
});

describe("NODE_ENV", () => {
  it("means production only with that exact value", () => {
    for (const value of ["production", "development", "test", ""]) {
      const { production } = readConfig({ NODE_ENV: value });
      assert.equal(production, value === "production", value);
    }
  });
});

describe("CONSOLE_URL", () => {
  it("needs TLS, unless it names this machine", () => {
    for (const url of ["http://sluice.example.com", "http://10.0.0.7:8080", "http://[fd00::1]"]) {
      assert.throws(() => readConfig({ CONSOLE_URL: url }), /CONSOLE_URL.*https.*passkeys/s, url);
    }
    for (const url of ["https://10.0.0.7", "http://localhost:8080", "http://127.0.0.1:8080"]) {
      assert.equal(readConfig({ CONSOLE_URL: url }).consoleUrl, url);
    }
  });
});

describe("OIDC_ISSUER", () => {
  const others = { OIDC_CLIENT_ID: "sluice", OIDC_ROLES: "ops=operator" };
  const issuer = { OIDC_ISSUER: "https://login.example.com/realm" };

  it("needs the settings without which nobody could sign in", () => {
    const expected =
      /OIDC_CLIENT_ID must be set, .*\nOIDC_ROLES must be set, .*\nCONSOLE_URL must be set/;
    assert.throws(() => readConfig(issuer), expected);
    const url = { CONSOLE_URL: "https://sluice.example.com" };
    assert.equal(readConfig({ ...issuer, ...others, ...url }).oidcIssuer, issuer.OIDC_ISSUER);
    assert.doesNotThrow(() => readConfig(others));
  });

  it("can be an address of this machine without TLS", () => {
    const url = { CONSOLE_URL: "http://localhost:8080" };
    for (const OIDC_ISSUER of ["http://127.0.0.1:9", "http://localhost:9", "http://[::1]:9"]) {
      assert.doesNotThrow(() => readConfig({ OIDC_ISSUER, ...others, ...url }));
    }
  });

  it("has roles by values with any characters, and several by one value", () => {
    const { oidcRoles } = readConfig({ OIDC_ROLES: "CN%3Da%2CO%3Db=officer, x=viewer,x=auditor" });
    assert.deepEqual(oidcRoles, [
      ["CN=a,O=b", "officer"],
      ["x", "viewer"],
      ["x", "auditor"],
    ]);
  });
});

describe("settings", () => {
  it("that are invalid are all reported at once, by any command, which exits with 1", async () => {
    const environment = { PORT: "x", LOG_LEVEL: "loud" };
    const line = makeCommandLine({ environment });
    const { code, out, err } = await line.type("organization list");
    assert.deepEqual({ code, out }, { code: 1, out: "" });
    assert.match(err, /^sluice: PORT must be .*, but is "x"\.\nLOG_LEVEL must be .*\n$/);
    assert.equal((await line.fail("organization list")).name, "settings");
  });

  it("are no variables of clients, which no command mentions", async () => {
    const environment = { SLUICE_URL: "x", SLUICE_ORGANIZATION: "x", SLUICE_API_KEY: "x" };
    const line = makeCommandLine({ environment });
    await line.ask("migrate");
    const { code, err } = await line.type("organization list");
    assert.deepEqual({ code, err }, { code: 0, err: "" });
  });
});
