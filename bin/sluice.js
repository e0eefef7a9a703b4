#!/usr/bin/env node
// Starts Sluice with a Node that can run it: this one, or else the one that the checkout brings along. Plain JavaScript
// for old versions too; does nothing else.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const nodeMajorMin = 24;
const source = new URL("../src/cli/main.ts", import.meta.url);
const isInstalled = source.pathname.includes("/node_modules/");

if (Number(process.versions.node.split(".")[0]) >= nodeMajorMin) {
  await import(main().href);
} else {
  startWithOwnNode();
}

/** The source in a checkout, so that an old build never stands in for it; what was built in a published package. */
function main() {
  return isInstalled || !existsSync(source)
    ? new URL("../dist/src/cli/main.js", import.meta.url)
    : source;
}

/** Where the package with a Node for this platform is installed: one of optionalDependencies in package.json. */
function ownNode() {
  const { platform, arch } = process;
  const isWindows = platform === "win32";
  const prefix = platform === "darwin" && arch === "arm64" ? "node-bin" : "node";
  const name = `${prefix}-${isWindows ? "win" : platform}-${arch}`;
  const path = `../node_modules/${name}/bin/node${isWindows ? ".exe" : ""}`;
  return fileURLToPath(new URL(path, import.meta.url));
}

function startWithOwnNode() {
  const own = ownNode();
  if (!existsSync(own)) {
    const orCheckout = isInstalled
      ? ""
      : ", or run `npm ci` in the checkout, which brings one along";
    process.stderr.write(
      `sluice: Sluice needs Node ${nodeMajorMin} or later, and this is ${process.version}. ` +
        `Install a later Node from https://nodejs.org${orCheckout}.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const words = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  let child;
  // Before the other process exists, so that no signal can end this one alone.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  child = spawn(own, words, { stdio: "inherit" });
  child.on("error", (error) => {
    process.stderr.write(`sluice: ${own} can't be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => {
    process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
  });
}
