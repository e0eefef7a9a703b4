// What a start does where no store is: in production it makes none, and nowhere does an empty one take the place of one
// that was lost.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { makeKeyReader } from "../../src/data-folder/receipt-key.ts";
import { requireKnownTls } from "../../src/store/postgres/check-server.ts";
import { type Config, ConfigError, readConfig } from "../../src/settings/config.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { makeCommandLine } from "./command-line.ts";

const production = { NODE_ENV: "production" };
const token = "0123456789abcdef";

function writeSecret(content: string): string {
  const path = join(makeTempFolder(), "secret");
  writeFileSync(path, content);
  return path;
}

function refused(environment: Readonly<Record<string, string>>, words: RegExp): void {
  assert.throws(
    () => readConfig(environment),
    (error) => error instanceof ConfigError && words.test(error.message),
  );
}

describe("a start in production", () => {
  it("makes no store, and says which command does", async () => {
    const line = makeCommandLine({ environment: production });
    const { code, message } = await line.fail("serve");
    assert.equal(code, 1);
    assert.match(message, /^There is no store at \S+\. .*`npx sluice migrate` creates one\.$/);
    assert.deepEqual(readdirSync(line.folder), []);
  });

  it("refuses an empty secret, which is more likely a lost one", () => {
    for (const name of ["DATABASE_URL", "DATABASE_URL_FILE", "METRICS_TOKEN"]) {
      refused({ ...production, [name]: "" }, new RegExp(`^${name} is set, but empty\\.`));
      assert.doesNotThrow(() => readConfig({ [name]: "" }));
    }
  });

  it("refuses a database that is named only to other programs", () => {
    for (const name of ["POSTGRES_URL", "PGHOST"]) {
      refused({ ...production, [name]: "db" }, new RegExp(`^${name} is set, but .*DATABASE_URL`));
      const named = { ...production, [name]: "db", DATABASE_URL: "sqlite:/srv/sluice.db" };
      assert.doesNotThrow(() => readConfig(named));
    }
  });
});

describe("a secret in a file", () => {
  it("is read without the line break at its end", () => {
    const url = writeSecret("postgres://u:p@db/sluice\n");
    const files = { DATABASE_URL_FILE: url, METRICS_TOKEN_FILE: writeSecret(`${token}\n`) };
    const { databaseUrl, metricsToken } = readConfig({ ...production, ...files });
    assert.deepEqual([databaseUrl, metricsToken], ["postgres://u:p@db/sluice", token]);
  });

  it("is read from a pipe that is open, and refused if it is a named one or a device", () => {
    const module = JSON.stringify(import.meta.resolve("../../src/settings/config.ts"));
    const script = `import(${module}).then(({ readConfig }) => console.log(readConfig(process.env).metricsToken))`;
    const command = 'printf %s "$TOKEN" | METRICS_TOKEN_FILE=/dev/stdin "$0" -e "$1"';
    const env = { ...process.env, TOKEN: token };
    const { stdout } = spawnSync("sh", ["-c", command, process.execPath, script], { env });
    assert.equal(stdout.toString(), `${token}\n`);
    const pipe = `${writeSecret("")}.pipe`;
    execFileSync("mkfifo", [pipe]);
    for (const path of [pipe, "/dev/zero"]) {
      refused(
        { METRICS_TOKEN_FILE: path },
        /: it is a named pipe or a device; name a regular file/,
      );
    }
    const url = `postgres://db/sluice?sslrootcert=${pipe}`;
    assert.throws(
      () => requireKnownTls(url),
      /^StoreError: sslrootcert in DATABASE_URL names \S+,/,
    );
    const config: Config = { ...readConfig({}), receiptKeyFile: pipe };
    assert.throws(makeKeyReader(config), /^FileError: The key for receipts .*: it is a named pipe/);
  });

  it("is refused if it is missing, empty or invalid, or also in the environment", () => {
    const path = writeSecret(token);
    const both = { METRICS_TOKEN_FILE: path, METRICS_TOKEN: token };
    refused(both, /^METRICS_TOKEN and METRICS_TOKEN_FILE are both set; remove one of them\.$/);
    refused(
      { METRICS_TOKEN_FILE: `${path}-` },
      /^The file \S+, which METRICS_TOKEN_FILE names, can/,
    );
    refused({ METRICS_TOKEN_FILE: writeSecret("\n") }, /names, is empty\.$/);
    refused({ METRICS_TOKEN_FILE: writeSecret("secret!") }, /^METRICS_TOKEN must be (?!.*secret!)/);
  });
});

describe("where a store was lost", () => {
  it("none is made beside its ledger", async () => {
    const folder = makeTempFolder();
    const ledger = join(folder, "deletion-ledger-0123.ndjson");
    writeFileSync(ledger, "");
    for (const command of ["serve", "migrate", "organization create --name x"]) {
      const { message } = await makeCommandLine({ folder }).fail(...command.split(" "));
      assert.match(message, /^There is no store at \S+, but \S+\.ndjson is the ledger of one\./);
      assert.match(message, /DATABASE_URL: if the store is in PostgreSQL, it has to be set as for/);
    }
    assert.deepEqual(readdirSync(folder), ["deletion-ledger-0123.ndjson"]);
  });

  for (const [what, damage] of [
    ["missing", (path: string) => rmSync(path)],
    ["empty", (path: string) => writeFileSync(path, "")],
  ] as const) {
    it(`its WAL is kept, while its file is ${what}, until a restore replaces it`, async () => {
      const line = makeCommandLine();
      await line.ask("migrate");
      const backup = join(makeTempFolder(), "backup.db");
      await line.ask("backup", backup);
      for (const name of readdirSync(line.folder)) {
        if (name !== "sluice.db") rmSync(join(line.folder, name));
      }
      const store = join(line.folder, "sluice.db");
      damage(store);
      writeFileSync(`${store}-wal`, "acknowledged");
      for (const command of ["serve", "migrate", "organization list", "check"]) {
        const { message } = await line.fail(...command.split(" "));
        assert.match(message, /^There is no store at \S+, but \S+-wal contains changes of one\./);
      }
      const { message } = await line.fail("restore", backup);
      assert.match(message, /-wal contains changes of a store whose file is missing or empty/);
      assert.equal(readFileSync(`${store}-wal`, "utf8"), "acknowledged");
      await line.ask("restore", backup, "--replace");
      assert.deepEqual(await line.ask("organization list"), { organizations: [] });
    });
  }
});
