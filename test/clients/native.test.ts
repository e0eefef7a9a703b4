// What the languages' own tools say of the clients in Python and Go: their unit tests, formatting and types. A tool
// that the machine lacks is passed over, and the test says which one it needs.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { buildOpenApi } from "../../src/process/openapi.ts";
import { findText, readFile } from "../repository/tree.ts";
import { goEnvironment, goFolder, missingGo, inPython, missingPython } from "./subject.ts";

const run = promisify(execFile);

function inGo(command: string, ...words: readonly string[]) {
  return run(command, words, { cwd: goFolder, env: { ...process.env, ...goEnvironment } });
}

async function isSkipped(context: TestContext, missing: Promise<string | undefined>) {
  const reason = await missing;
  if (reason !== undefined) context.skip(reason);
  return reason !== undefined;
}

describe("the Python client", { concurrency: true }, () => {
  it("passes its own tests, with warnings as errors", async (context) => {
    if (await isSkipped(context, missingPython())) return;
    const words = ["-W", "error", "-m", "unittest", "discover", "-s", "tests"];
    const { stderr } = await inPython(...words);
    assert.match(stderr, /Ran [1-9]\d* tests[\s\S]*OK/);
  });

  it("passes mypy at its strictest", async (context) => {
    const hasMypy = inPython("-m", "mypy", "--version").then(
      () => undefined,
      () => "needs mypy",
    );
    if (await isSkipped(context, hasMypy)) return;
    await inPython("-m", "mypy", "--cache-dir", process.platform === "win32" ? "nul" : "/dev/null");
  });

  it("has one version, and depends on nothing", () => {
    const { text } = readFile("clients/python/pyproject.toml");
    const [, version = "none"] = /^version = "(.+)"$/m.exec(text) ?? [];
    assert.match(
      readFile("clients/python/src/sluice/_version.py").text,
      new RegExp(`"${version}"`),
    );
    assert.match(text, /^dependencies = \[\]$/m);
    assert.equal(findText("clients/python/src/sluice/py.typed"), "");
  });
});

describe("the distribution of the Python client", () => {
  it("has no name that a generator gives to a client made from the OpenAPI document", () => {
    const { info } = buildOpenApi();
    const title = String(info["title"]).toLowerCase();
    const [, name = ""] =
      /^name = "(.+)"$/m.exec(readFile("clients/python/pyproject.toml").text) ?? [];
    assert.notEqual(name, "");
    const taken = [title, `${title}-client`, `${title}-api`, `${title}-api-client`, `${title}-sdk`];
    assert.ok(!taken.includes(name), name);
    assert.match(readFile("clients/python/README.md").text, new RegExp(`named \`${name}\``));
  });
});

describe("the Go client", { concurrency: true }, () => {
  it("passes its own tests, and has nothing that go vet finds", async (context) => {
    if (await isSkipped(context, missingGo())) return;
    const { stdout } = await inGo("go", "test", "-count=1", "-vet=all", "./...");
    assert.match(stdout, /^ok {2}\t/m);
  });

  it("is laid out by gofmt", async (context) => {
    if (await isSkipped(context, missingGo())) return;
    const { stdout } = await inGo("gofmt", "-l", ".");
    assert.equal(stdout, "");
  });

  it("depends on nothing", () => {
    assert.doesNotMatch(readFile("clients/go/go.mod").text, /require/);
    assert.equal(findText("clients/go/go.sum"), undefined);
  });
});
