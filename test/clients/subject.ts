// The clients under test, each a program that reads commands and prints outcomes. A language whose tools the machine
// lacks is skipped, and the reason says what it needs.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { root } from "../repository/tree.ts";
import type { Command, Outcome } from "./scenarios.ts";

const run = promisify(execFile);

export interface Subject {
  readonly name: string;
  /** Starts what the client calls itself in User-Agent; a browser lets nobody choose. */
  readonly userAgent?: string;
  /** Why it can't be tested here, if it can't. */
  missing(): Promise<string | undefined>;
  /** The program, made in the folder where it has to be. */
  prepare(folder: string): Promise<Program>;
}

export interface Program {
  readonly words: readonly [string, ...string[]];
  readonly environment?: Readonly<Record<string, string>>;
}

export interface Driver {
  ask(command: Command): Promise<Outcome>;
  stop(): Promise<void>;
}

const driver = (name: string) => join(import.meta.dirname, "driver", name);
const never = () => Promise.resolve(undefined);

/** Nothing is fetched, and no other version of Go. */
export const goEnvironment = { GOTOOLCHAIN: "local", GOPROXY: "off", GOFLAGS: "-mod=mod" };
export const goFolder = join(root, "clients/go");
export const pythonFolder = join(root, "clients/python");
export const pythonEnvironment = {
  PYTHONPATH: join(pythonFolder, "src"),
  PYTHONDONTWRITEBYTECODE: "1",
};

/** The interpreter itself: what is found first may be a script that looks for it every time. */
const findPython = memoized(async () => {
  const program = "import sys; print(sys.executable if sys.version_info >= (3, 10) else '')";
  return (await printed("python3", "-c", program)).trim();
});

const findGo = memoized(() => printed("go", "version"));

export async function missingPython(): Promise<string | undefined> {
  return (await findPython()) === "" ? "needs python3, 3.10 or later" : undefined;
}

export async function missingGo(): Promise<string | undefined> {
  return (await findGo()) === "" ? "needs go, 1.22 or later" : undefined;
}

/** Runs a program in Python, in the folder of the client. */
export async function inPython(...words: readonly string[]) {
  const env = { ...process.env, ...pythonEnvironment };
  return await run(await findPython(), words, { cwd: pythonFolder, env });
}

function memoized<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => (made ??= make());
}

/** Nothing where the command does not answer. */
async function printed(command: string, ...words: readonly string[]): Promise<string> {
  try {
    return (await run(command, words)).stdout;
  } catch {
    return "";
  }
}

function python(name: string, ...words: readonly string[]): Subject {
  return {
    name,
    userAgent: "sluice-python/",
    missing: missingPython,
    prepare: async () => ({
      words: [await findPython(), driver("python.py"), ...words],
      environment: pythonEnvironment,
    }),
  };
}

export const subjects: readonly Subject[] = [
  {
    name: "TypeScript",
    missing: never,
    prepare: () => Promise.resolve({ words: [process.execPath, driver("typescript.ts")] }),
  },
  python("Python"),
  python("Python with asyncio", "asyncio"),
  {
    name: "Go",
    userAgent: "sluice-go/",
    missing: missingGo,
    prepare: async (folder) => {
      const program = join(folder, "conformance");
      const env = { ...process.env, ...goEnvironment };
      await run("go", ["build", "-o", program, "./internal/conformance"], { cwd: goFolder, env });
      return { words: [program] };
    },
  },
];

/** Outcomes come in the order of the commands. Rejects with what the program complained of where it ends early. */
export function startDriver({ words: [command, ...words], environment }: Program): Driver {
  const env = { ...process.env, ...environment };
  const child = spawn(command, words, { env, stdio: ["pipe", "pipe", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    ask: async (asked) => {
      child.stdin.write(`${JSON.stringify(asked)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the driver ended: ${complaint}`);
      return JSON.parse(value) as Outcome;
    },
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "close");
  child.stdin?.end();
  await ended;
}
