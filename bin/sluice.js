#!/usr/bin/env node
// Starts Sluice with a version of Node that can run it: the current one, or the one installed in the checkout. Written
// in plain JavaScript, so that old versions of Node can run it too.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

/** The first release of each with an SQLite that does not corrupt a database which several connections use. */
const nodeMin = { 24: 15, 25: 9 };
const nodeMinText = "24.15 or later, or 25.9 or later";
const source = new URL("../src/cli/main.ts", import.meta.url);
const isInstalled = source.pathname.includes("/node_modules/");

if (isNewEnough(process.versions.node)) {
  keepCompiled();
  await import(main().href);
} else {
  startWithOwnNode();
}

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major in nodeMin ? minor >= nodeMin[major] : major > 25;
}

/**
 * Has Node keep what it compiles beside the code, where only those can write who can change the code. Without permission
 * to write there, it keeps nothing. A server sets flags of V8 (src/cli/v8-flags.ts), which takes nothing that was compiled
 * with others, so what it and commands compile is kept apart.
 */
function keepCompiled() {
  const kind = process.argv[2] === "serve" ? "serve" : "commands";
  const place = new URL(`../node_modules/.cache/compiled/${kind}`, import.meta.url);
  const folder = fileURLToPath(place);
  // Threads read the variable.
  process.env.NODE_COMPILE_CACHE ||= folder;
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
}

/** In a checkout always the source, never an old build; in a published package the build. */
function main() {
  return isInstalled || !existsSync(source)
    ? new URL("../dist/src/cli/main.js", import.meta.url)
    : source;
}

/** The path of the Node for this platform that npm installs for a checkout, from tools/node/package.json. */
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
    const orCheckout = isInstalled ? "" : ", or run `npm ci` in the checkout, which installs one";
    process.stderr.write(
      `sluice: Sluice needs Node ${nodeMinText}, but this is ${process.version}. ` +
        `Install a later Node from https://nodejs.org${orCheckout}.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const words = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
  let child;
  // Installed before the child process starts, so that no signal ends only this process.
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
