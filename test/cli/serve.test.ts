// `sluice serve` as a process: its output, how it ends, and the effect of commands that run meanwhile.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, it } from "node:test";
import { Client } from "pg";
import { logLevelOf } from "../../src/cli/command/serve.ts";
import { fetchToken } from "../support/customer.ts";
import { testEnvironment } from "../support/service.ts";
import { password, usePostgres } from "../support/postgres/postgres-server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import { makeTempFolder } from "../support/temp-folder.ts";
import { waitFor } from "../support/wait-for.ts";
import { makeCommandLine } from "./command-line.ts";
import { runProgram, startProcess, startProgram } from "./program.ts";

const development = { NODE_ENV: "development" };
const postgres = await usePostgres();

function serve(
  folder: string,
  more: Readonly<Record<string, string>> = {},
): Promise<ServerProcess> {
  return startServerProcess(testEnvironment(folder, more));
}

/** The server's output, once it contains the end of the first steps. */
function firstSteps(server: ServerProcess): Promise<string> {
  return waitFor("the first steps", () => {
    const { out } = server.output();
    return out.includes("sluice key create") ? out : undefined;
  });
}

describe("serve in a terminal", () => {
  it("logs only warnings, unless a level is set, or in production", () => {
    const [level, err] = ["info", { isTTY: true, write: () => undefined }];
    const levelIn = (environment: Record<string, string>, production = false) =>
      logLevelOf({ environment, err }, { production, logLevel: level });
    assert.equal(levelIn({}), "warn");
    assert.equal(levelIn({ LOG_LEVEL: level }), level);
    assert.equal(levelIn({}, true), level);
    const file = { ...err, isTTY: false };
    const config = { production: false, logLevel: level };
    assert.equal(logLevelOf({ environment: {}, err: file }, config), level);
  });
});

describe("serve on an empty store", () => {
  it("creates the organization demo, shows its key once, and prints commands that work as they are", async () => {
    const folder = makeTempFolder();
    const server = await serve(folder, { ...development, LOG_LEVEL: "trace" });
    const out = await firstSteps(server);
    assert.equal(out.match(/^Listening on /gm)?.length, 1);
    const apiKey = /sluice_key_\w{49}/.exec(out)?.[0] ?? "";
    const token = await fetchToken(server.client, { organizationId: "demo", apiKey });

    const commands = out.slice(out.indexOf("# Exchange"), out.indexOf("API reference"));
    const pasted = await startProcess(["bash", "-euo", "pipefail", "-c", commands], {}).ended;
    assert.equal(pasted.code, 0, pasted.err);
    const { port } = new URL(server.address);
    assert.ok(out.includes(`\nBefore other commands: export DATABASE_URL='sqlite:${folder}/`));
    assert.ok(out.includes(` PORT='${port}'\nConsole: run \`npx sluice operator create`));
    const [written, seen, deletion] = pasted.out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(written?.["write_count"], 1);
    assert.equal(seen?.["first_seen"], "2026-01-31T09:30:00Z");
    assert.match(String(deletion?.["deletion_request_id"]), /^del_/);

    assert.equal(await server.end("SIGTERM"), 0);
    const { err } = server.output();
    assert.match(err, /"serving"/);
    assert.ok(err.includes(`"store":"${folder}/sluice.db","msg":"created a new store"`));
    for (const secret of [apiKey, token])
      assert.ok(!err.includes(secret), "the log contains a secret");
    assert.ok(!out.includes("\u001b"), "a pipe gets colour codes");

    const again = await serve(folder, development);
    await again.end("SIGINT");
    assert.match(again.output().out, /^Listening on http:\/\/127\.0\.0\.1:\d+\n$/);
  });

  it("prints commands that work as they are in production, while there is no organization", async () => {
    const folder = makeTempFolder();
    const first = await serve(folder);
    const out = await waitFor("the next steps", () => {
      const { out: sofar } = first.output();
      return sofar.includes("/docs\n") ? sofar : undefined;
    });
    assert.match(
      out,
      new RegExp(`^Listening on ${first.address}\n\nThe store has no organization`),
    );
    const commands = out.slice(out.indexOf("# An"), out.indexOf("API reference"));
    const { PATH = "" } = process.env;
    const pasted = await startProcess(["bash", "-euo", "pipefail", "-c", commands], { PATH }).ended;
    assert.equal(pasted.code, 0, pasted.err);
    assert.match(
      pasted.out,
      /my-organization[^]*sluice_key_\w{49}[^]*anna[^]*\/console\/link\?token=/,
    );
    // Also where the system has chosen the port.
    assert.ok(pasted.out.includes(`http://localhost:${new URL(first.address).port}/console/link`));
    assert.equal(await first.end("SIGTERM"), 0);
    const again = await serve(folder);
    assert.equal(await again.end("SIGTERM"), 0);
    assert.equal(again.output().out, `Listening on ${again.address}\n`);
  });

  for (const [where, environment] of [
    ["in development", development],
    ["in production", {}],
  ] as const) {
    it(`says ${where} that commands need DATABASE_URL, without its password, on PostgreSQL`, async () => {
      const url = await postgres.makeDatabase();
      await makeCommandLine({ environment: { DATABASE_URL: url } }).ask("migrate");
      const server = await serve(makeTempFolder(), { ...environment, DATABASE_URL: url });
      const out = await waitFor("the next steps", () => {
        const { out: sofar } = server.output();
        return /API reference[^\n]*\n/.test(sofar) ? sofar : undefined;
      });
      assert.match(out, /^.*export .*PORT=.*\n# DATABASE_URL has to be set as for this server;/m);
      assert.ok(!out.includes(url) && !out.includes(password));
      assert.equal(await server.end("SIGTERM"), 0);
    });
  }

  it("goes on serving if the database does not let it create the organization demo", async () => {
    const url = await postgres.makeDatabase();
    await makeCommandLine({ environment: { DATABASE_URL: url } }).ask("migrate");
    const client = new Client(url);
    await client.connect();
    await client.query("BEGIN; LOCK TABLE organization IN EXCLUSIVE MODE");
    const settings = { ...development, DATABASE_URL: url, DATABASE_LOCK_TIMEOUT_MS: "50" };
    const server = await serve(makeTempFolder(), settings);
    await waitFor("the reason", () => {
      const { err } = server.output();
      return /^sluice: The first steps can't be shown\. .*lock timeout/m.exec(err) ?? undefined;
    });
    await waitFor("the next steps", () => /organization create/.exec(server.output().out)?.[0]);
    await client.end();
    assert.equal((await server.client.send({ method: "GET", path: "/health/live" })).status, 200);
    assert.equal(await server.end("SIGTERM"), 0);
  });

  it("stops on SIGHUP as on SIGTERM, and opens no debugger on SIGUSR1", async () => {
    const server = await serve(makeTempFolder(), { HOST: "[::1]", LOG_LEVEL: "info" });
    assert.match(server.address, /^http:\/\/\[::1\]:\d+$/);
    server.child.kill("SIGUSR1");
    assert.equal((await server.client.send({ method: "GET", path: "/health/live" })).status, 200);
    assert.equal(await server.end("SIGHUP"), 0);
    const { err } = server.output();
    assert.match(err, /"level":"info".*"msg":"stopped"/);
    assert.doesNotMatch(err, /debugger|inspector/i);
  });

  it("prints address and key as one line of JSON on request", async () => {
    const folder = join(makeTempFolder(), "data");
    const { child, ended } = startProgram(
      ["serve", "--json"],
      testEnvironment(folder, { ...development, HOST: "127.0.0.2" }),
    );
    child.stdout.once("data", () => child.kill("SIGTERM"));
    const { code, out, err } = await ended;
    assert.equal(code, 0, err);
    const printed = JSON.parse(out) as Record<string, unknown>;
    assert.match(String(printed["address"]), /^http:\/\/127\.0\.0\.2:[1-9]\d*$/);
    // Created in the same store as the server's.
    assert.equal(printed["organization_id"], "demo");
    assert.match(String(printed["api_key"]), /^sluice_key_\w{49}$/);
    assert.ok(existsSync(join(folder, "sluice.db")));
    assert.ok(existsSync(join(folder, "receipt-key.pem")));
  });

  it("creates nothing when it can't listen, so that no key is lost", async () => {
    const first = await serve(makeTempFolder());
    const folder = makeTempFolder();
    const port = new URL(first.address).port;
    const environment = testEnvironment(folder, { ...development, PORT: port });
    const { code, out, err } = await runProgram(["serve"], environment);
    assert.deepEqual({ code, out }, { code: 1, out: "" });
    assert.match(
      err,
      /^sluice: Can't listen on 127\.0\.0\.1, port \d+: the port is in use\. .*PORT.*\n$/,
    );
    await first.end("SIGTERM");
    assert.deepEqual(await makeCommandLine({ folder }).ask("organization list"), {
      organizations: [],
    });
  });
});

describe("with a serving process", () => {
  it("the changes of commands take effect there", async () => {
    const folder = makeTempFolder();
    const server = await serve(folder);
    const environment = testEnvironment(folder);
    const typed = async (...words: readonly string[]): Promise<Record<string, unknown>> => {
      const { code, out, err } = await runProgram([...words, "--json"], environment);
      assert.deepEqual({ code, err }, { code: 0, err: "" });
      return JSON.parse(out) as Record<string, unknown>;
    };
    await typed("organization", "create", "--name", "Acme", "--id", "acme");
    const made = await typed("key", "create", "--organization", "acme");
    const token = await fetchToken(server.client, {
      organizationId: "acme",
      apiKey: String(made["api_key"]),
    });
    const ask = async (): Promise<unknown> => {
      const reply = await server.client.send({
        method: "GET",
        path: "/v2/transaction?tx_id=x",
        token,
      });
      return reply.body.code;
    };
    assert.equal(await ask(), 40401);
    await typed("key", "revoke", String(made["key_id"]));
    const code = await waitFor("the key to be revoked there", async () => {
      const now = await ask();
      return now === 40401 ? undefined : now;
    });
    assert.equal(code, 40104);
    assert.equal(await server.end("SIGTERM"), 0);
  });

  it("a second serve is refused in one line, as JSON on request", async () => {
    const folder = makeTempFolder();
    const server = await serve(folder);
    const environment = testEnvironment(folder);
    const plain = await runProgram(["serve"], environment);
    assert.deepEqual({ code: plain.code, out: plain.out }, { code: 1, out: "" });
    assert.match(plain.err, /^sluice: .*being served by another process[^\n]*\n$/);
    const json = await runProgram(["serve", "--json"], environment);
    const { error } = JSON.parse(json.err) as { error: { name: string } };
    assert.equal(error.name, "serve");
    await server.end("SIGTERM");
  });
});

/** A request whose body never arrives prevents the server from stopping. */
async function startBusyServer(): Promise<ServerProcess> {
  const server = await serve(makeTempFolder(), { SHUTDOWN_GRACE_MS: "600000" });
  const socket = connect(Number(new URL(server.address).port), "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => undefined);
  socket.write(
    "POST /auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\n{",
  );
  await server.client.send({ method: "GET", path: "/health/live" });
  return server;
}

describe("signals", () => {
  it("copies of the first one within moments count as one", async () => {
    const server = await startBusyServer();
    server.child.kill("SIGINT");
    server.child.kill("SIGTERM");
    await sleep(400);
    assert.equal(server.child.exitCode, null);
    assert.equal(await server.end("SIGTERM"), 143);
  });
});
